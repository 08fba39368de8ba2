"""Drawings of cores: datapaths, and charts of schedules and routines."""
