"""How sequences of slots are placed on an engine."""
