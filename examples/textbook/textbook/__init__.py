"""Known results of differential privacy, stated once each, with a control that must fail."""

from textbook.best_of import best_of, gaussian_best
from textbook.known import RESULTS, Result

__all__ = ["RESULTS", "Result", "best_of", "gaussian_best"]
