"""Programs that measure once: power, validity, speed beside peers, faults. Their results are under `evidence/`."""
