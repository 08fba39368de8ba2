"""Plus-minus inversion in an RNS, CHES 2013."""
