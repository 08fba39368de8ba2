"""Cox-Rower engines: rowers, their rings, the Cox, and what runs programs and routines on them."""
