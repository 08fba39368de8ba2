# Simulates {{ top }} with its test bench; needs no Python.
#
#   make             with Verilator 5 or later
#   make icarus      with Icarus Verilog 11 or later; slower by far

SOURCES := bench.v{% for module in modules %} ../rtl/{{ module }}.v{% endfor %} ../rtl/primitives.v
VERILATOR ?= verilator
JOBS ?= 0
IVERILOG ?= iverilog
VVP ?= vvp

.PHONY: verilator icarus clean

verilator: obj_dir/bench
	obj_dir/bench

icarus: bench.vvp
	$(VVP) -n bench.vvp

obj_dir/bench: $(SOURCES)
	$(VERILATOR) --binary --timing -Wno-fatal -O3 -j $(JOBS) --top-module bench -Mdir obj_dir -o bench $(SOURCES)

bench.vvp: $(SOURCES)
	$(IVERILOG) -g2005 -s bench -o $@ $(SOURCES)

clean:
	rm -rf obj_dir bench.vvp
