{% extends "bench.v" %}
{% block bus %}
  // The registers.
{% for name in registers.registers %}
  localparam [11:0] {{ name }} = 12'h{{ "%03X" | format(registers[name].address) }};
{% endfor %}
{% for name, field in registers["STATUS"].fields.items() if name in fields %}
  localparam {{ name | upper }} = {{ field.low }};  // bit of STATUS
{% endfor %}
  localparam [31:0] START = 32'h{{ "%08X" | format(registers["CONTROL"].fields.start.mask) }};
  localparam [31:0] ENDED = 32'h{{ "%08X" | format(registers["INTERRUPT_STATE"].fields.done.mask) }};
{% if not several %}
  localparam [31:0] ZEROISE_KEY = 32'h{{ "%08X" | format(registers.zeroise_key) }};
{% endif %}

  reg [31:0] word, began = 0, spent = 0;
  wire irq;

{% block access %}
{% endblock %}

  task begin_bus;
    begin
      read(STATUS);
      while (word[BUSY]) read(STATUS);
      write(INTERRUPT_ENABLE, ENDED);
    end
  endtask

{% if several %}
  localparam [INSTANCES - 1:0] ALL_CORES = {INSTANCES{1'b1}};

  reg [31:0] tag;

  // The operation as often as there are coprocessors, each time with another tag.
  task begin_operation;
    begin
      began = cycles;
      for (tag = 0; tag < INSTANCES; tag = tag + 1) begin
        if (tag != 0) begin
          replay = 1'b1;
          @(negedge clk) replay = 1'b0;
        end
        read(STATUS);
        while (!word[READY]) begin
          advance;
          read(STATUS);
        end
        write(CONTROL, START | tag << 16 | curve << 8 | operation);
        while (operand_valid) advance;
      end
    end
  endtask

  // What the last request asks for may not have begun when its words have been handed over.
  task await_cores;
    begin
      read(CORES);
      while (word[INSTANCES - 1:0] != ALL_CORES) begin
        advance;
        read(CORES);
      end
    end
  endtask

  // All of them; what they do ends with a result that says so.
  task zeroise_core;
    write(ZEROISE_CORES, 32'h{{ "%04X" | format(several.key) }}0000 | ALL_CORES);
  endtask
{% else %}
  task begin_operation;
    begin
      began = cycles;
      write(CONTROL, START | curve << 8 | operation);
    end
  endtask

  task zeroise_core;
    write(ZEROISE, ZEROISE_KEY);
  endtask
{% endif %}

  // How an operation ended, and an end to its interrupt.
  task take_status;
    begin
      read(STATUS);
      status = word[7:0];
      write(INTERRUPT_STATE, ENDED);
      if (irq) begin
        $display("WRONG  the interrupt stays");
        failures = failures + 1;
      end
    end
  endtask
{% endblock %}
