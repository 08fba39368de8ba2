"""What any core on a bus has: simulation of its bus, checks of its registers, test bench, pages."""
