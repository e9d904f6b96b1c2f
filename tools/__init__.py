"""What makes this repository's own pages and records, and watches its size. Nothing here is installed."""
