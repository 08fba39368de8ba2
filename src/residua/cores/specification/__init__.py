"""What a user may ask for: keys, how they are read, and what is refused."""
