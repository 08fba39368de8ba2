"""The extended-RNS datapath of the ECPM paper (2006): figures 1 to 7."""
