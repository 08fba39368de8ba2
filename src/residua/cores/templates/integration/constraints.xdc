# {{ top }} on an AMD device, for Vivado; in a larger design, scope it: read_xdc -ref {{ top }}.
#
# The clock to aim at.
create_clock -name clk -period {{ "%.3f" | format(vivado.period_ns) }} [get_ports clk]

# Out of context the ports lead to registers elsewhere on the device. They leave the core
# {{ "%.0f" | format(100 - 100 * vivado.outside) }} % of a period at each side.
set inputs [get_ports -filter {DIRECTION == IN && NAME != clk}]
set outputs [get_ports -filter {DIRECTION == OUT}]
set_input_delay -clock clk {{ "%.3f" | format(vivado.outside * vivado.period_ns) }} $inputs
set_output_delay -clock clk {{ "%.3f" | format(vivado.outside * vivado.period_ns) }} $outputs
