"""Elliptic-curve coprocessors: controller, scalar, operands and results around a field unit."""
