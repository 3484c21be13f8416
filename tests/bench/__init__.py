"""What ``scripts/bench`` runs: one module a subject, a table of figures each, every figure beside a baseline."""
