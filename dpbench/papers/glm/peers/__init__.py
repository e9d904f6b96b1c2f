"""The suite beside its peers, in one run: what ``dpbench bench --peers`` shows."""
