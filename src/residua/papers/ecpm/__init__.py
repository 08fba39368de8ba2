"""The point multiplier on an extended RNS, 2006."""
