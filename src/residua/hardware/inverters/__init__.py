"""Modular inverters: on streams of words, and beside the field unit of a coprocessor."""
