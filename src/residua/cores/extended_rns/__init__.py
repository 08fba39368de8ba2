"""The point multiplier of 2006 in an extended RNS."""
