"""Algorithms 1 to 5 of the public-data paper, a file each."""
