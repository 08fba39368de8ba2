"""Tables in pages of prose that are made of rows."""
