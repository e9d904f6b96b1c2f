"""The questions of DPriv-Bench (Wang et al. 2026, arXiv 2604.15851, MIT licence), decided by `dpbench.judge`."""
