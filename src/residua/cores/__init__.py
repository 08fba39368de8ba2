"""Complete cores: what a specification names, made and verified."""
