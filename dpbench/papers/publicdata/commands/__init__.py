"""What the public-data paper adds to the command line: ``dpbench strengthened``."""

COMMANDS = {"strengthened": "dpbench.papers.publicdata.commands.strengthened:strengthened"}
"""Where the function of each command is: imported when the command is named."""
