"""`python -m benchmarks.peers`."""

from benchmarks.peers import main

raise SystemExit(main())
