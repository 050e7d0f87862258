"""Rapport server."""
