"""The ECPM of 2006: a point multiplier on an extended RNS."""
