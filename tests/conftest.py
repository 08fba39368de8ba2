"""Matplotlib first: its extension modules fail to load after those of all other test modules."""

import matplotlib.figure  # noqa: F401
