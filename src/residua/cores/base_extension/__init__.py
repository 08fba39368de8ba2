"""Base extensions alone."""
