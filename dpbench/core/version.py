"""The version of this package, for what it writes and keeps."""

__version__ = "0.1.0"
