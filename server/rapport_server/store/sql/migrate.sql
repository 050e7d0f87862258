-- name: lock
-- Held to the end of the transaction, so that a killed process or a connection pooler in between never leaves it taken.
SELECT pg_advisory_xact_lock(%s)

-- name: limit_wait
SELECT set_config('lock_timeout', %s, true)

-- name: create_schema
CREATE SCHEMA IF NOT EXISTS rapport

-- name: schema_exists
SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'rapport'

-- name: create_table
CREATE TABLE IF NOT EXISTS rapport.schema_migration (
    version    int PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
)

-- name: list_applied
SELECT version, name, checksum FROM rapport.schema_migration ORDER BY version

-- name: insert_applied
INSERT INTO rapport.schema_migration (version, name, checksum) VALUES (%s, %s, %s)
