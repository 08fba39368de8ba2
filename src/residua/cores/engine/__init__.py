"""What cores that are one engine with one program have in common."""
