"""The search for counterexamples: what a statement claims, its margin at points, and what the checker accepts.

`dpbench.find_counterexample` searches a claim of the ledger, `dpbench.judge` a theorem; both by `hunt.Hunt`.
"""
