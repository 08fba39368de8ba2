"""Checks of the files beside the core in a directory, run and read as they lie there."""
