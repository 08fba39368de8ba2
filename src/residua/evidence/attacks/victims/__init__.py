"""What is attacked: an operation of a core, its secret, and what it has to give."""
