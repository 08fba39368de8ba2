"""Systems on boards: pins, clocks, and bitstreams."""
