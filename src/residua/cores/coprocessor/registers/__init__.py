"""What an integrator gets of a register map: C header, page, SystemRDL source."""
