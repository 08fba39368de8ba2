"""Montgomery multiplication digit by digit and bit by bit."""
