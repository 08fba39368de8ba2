"""What each paper contains, and where it is in this package: docs/papers.md."""
