"""What the GLM paper adds to the command line: ``dpbench bench``."""
