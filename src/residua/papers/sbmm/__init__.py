"""Single-base modular multiplication, CHES 2015."""
