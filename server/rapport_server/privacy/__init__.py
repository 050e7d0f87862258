"""Erasure and its proof: keyed hashes, signed receipts, the audit chain."""
