"""What an elliptic-curve coprocessor does for its host, operation by operation.

`codes` names the operations and how they end, `instructions` is what a controller can do,
`sequences` has the instructions of each operation, and `routines` the field programs that they run.
On which kind of field unit those run is not the concern of any of them.
"""
