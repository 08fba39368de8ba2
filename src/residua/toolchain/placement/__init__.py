"""Place and route with nextpnr: devices, harness, placements."""
