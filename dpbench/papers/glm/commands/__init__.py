"""What the GLM paper adds to the command line: ``dpbench bench``."""

COMMANDS = {"bench": "dpbench.papers.glm.commands.bench:bench"}
"""Where the function of each command is: imported when the command is named."""
