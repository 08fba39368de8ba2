"""Datapath of the ECPM of 2006 on an extended RNS: figures 1 to 7 of its paper."""
