"""The claims: exact laws decide the variants that answer ⊤ and ⊥, attacks those that answer with numbers."""
