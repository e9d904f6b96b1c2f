"""The documentation's pages of results: the committed ledger, and what our studies measured."""
