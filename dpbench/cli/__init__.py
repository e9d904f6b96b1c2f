"""The command line: ``dpbench verify | list | show | bench | audit | figures``."""

from dpbench.cli.app import app, main, run

__all__ = ["app", "main", "run"]
