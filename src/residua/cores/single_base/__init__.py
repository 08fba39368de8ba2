"""SBMM multipliers, for primes M_a^2 - 2."""
