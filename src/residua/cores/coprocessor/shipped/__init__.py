"""What a directory ships besides its core, run and read as it lies there."""
