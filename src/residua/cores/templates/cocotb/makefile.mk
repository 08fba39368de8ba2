# Runs cocotb_test.py on {{ top }}; needs cocotb 2.1 or later{{ " and cocotbext-axi" if protocol == "axi" }}.
#
#   make -f cocotb.mk                with Verilator
#   make -f cocotb.mk SIM=icarus     with Icarus Verilog; slower by far

SIM ?= verilator
TOPLEVEL_LANG := verilog
VERILOG_SOURCES :={% for module in modules %} $(CURDIR)/../rtl/{{ module }}.v{% endfor %} $(CURDIR)/../rtl/primitives.v
COCOTB_TOPLEVEL := {{ top }}
COCOTB_TEST_MODULES := cocotb_test

ifeq ($(SIM),verilator)
EXTRA_ARGS += -Wno-fatal --timescale 1ns/1ps
endif

include $(shell cocotb-config --makefiles)/Makefile.sim
