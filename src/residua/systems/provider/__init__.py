"""An OpenSSL provider whose keys and signatures coprocessors compute."""
