"""From binary words to residues and back, and a multiplier between both."""
