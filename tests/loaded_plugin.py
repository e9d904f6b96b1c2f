"""How a session of pytester loads the plugin."""

from importlib.metadata import entry_points

INSTALLED = any(e.value == "dpbench.pytest_plugin" for e in entry_points(group="pytest11"))
LOAD = [] if INSTALLED else ["-p", "dpbench.pytest_plugin"]
