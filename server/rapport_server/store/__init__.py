"""Postgres: one module per table group with its SQL beside it; the only room that knows psycopg's queries."""
