"""The published tables of five papers beside what Residua measures."""
