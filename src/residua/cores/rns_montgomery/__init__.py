"""RNS Montgomery multipliers."""
