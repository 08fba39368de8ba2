"""Field programs, and their lowerings to what each field unit does."""
