"""`python -m benchmarks.peers`; asv imports it when it looks for benchmarks."""

from benchmarks.peers import main

if __name__ == "__main__":
    raise SystemExit(main())
