"""A system on a chip around coprocessors: a processor's port, devices on it, the whole."""
