"""Every state that the control of a network reaches, while data are unknown or all there are."""
