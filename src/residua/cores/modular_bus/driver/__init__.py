"""Driver of exponentiators and RSA cores: C99 files for the integrator, and the calls in Python."""
