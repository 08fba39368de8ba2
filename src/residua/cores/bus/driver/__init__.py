"""C99 drivers of cores on a bus: what the libraries of all kinds share."""
