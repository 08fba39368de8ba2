"""Systems on a chip around coprocessors: their directories, programs, simulations and hosts."""
