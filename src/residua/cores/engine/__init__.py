"""Common part of the cores that are one engine with one program."""
