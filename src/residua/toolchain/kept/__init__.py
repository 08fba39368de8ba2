"""Runs of tools and simulations that are kept between runs of Residua."""
