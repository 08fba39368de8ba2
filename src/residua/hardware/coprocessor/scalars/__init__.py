"""What scalars go through before routines select by their bits, digits or columns."""
