"""Handshakes of TLS with a provider of OpenSSL whose cores are simulated, counted."""
