"""Known results of differential privacy, stated once each, with a control that must fail."""

from textbook.known import RESULTS, Result

__all__ = ["RESULTS", "Result"]
