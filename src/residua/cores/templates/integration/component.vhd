-- {{ top }} for VHDL: the component. Its module is in Verilog, rtl/{{ top }}.v.
--
--   use work.{{ top }}_component.all;
--   ...
--   instance : {{ top }}
--     port map (
{% for port in ports %}
--       {{ port.name }} => {{ port.name }}{{ "" if loop.last else "," }}
{% endfor %}
--     );

library ieee;
use ieee.std_logic_1164.all;

package {{ top }}_component is
  component {{ top }} is
    port (
{% for port in ports %}
      {{ port.name }} : {{ directions[port.direction] }} std_logic{{ "" if port.width == 1 else "_vector(%d downto 0)" % (port.width - 1) }}{{ "" if loop.last else ";" }}
{% endfor %}
    );
  end component;
end package;
