"""Convex losses of linear functions over a ball, minimised to a certificate that is computed from all records."""
