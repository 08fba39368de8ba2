"""SBMM multipliers, for primes M_a^2 - 2."""

from residua.cores.kind import Kind
from residua.cores.single_base.specification import SingleBaseSpecification

KIND = Kind("sbmm", SingleBaseSpecification, "residua.cores.single_base.core:SingleBaseCore")
