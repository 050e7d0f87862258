-- What `rapport doctor` asks. Every statement only reads.

-- name: server
SELECT current_setting('server_version'), pg_database_size(current_database())

-- name: migrated
SELECT to_regclass('rapport.schema_migration') IS NOT NULL

-- name: migrations
SELECT version, name, checksum FROM rapport.schema_migration ORDER BY version

-- name: role
SELECT current_user::text, session_user::text, mine.rolsuper, login.rolsuper,
       mine.rolcreatedb OR mine.rolcreaterole OR mine.rolreplication OR mine.rolbypassrls,
       has_table_privilege('rapport.audit_event', 'UPDATE, DELETE, TRUNCATE'),
       pg_has_role(current_user, audit.relowner, 'USAGE')
  FROM pg_roles mine, pg_roles login, pg_class audit
 WHERE mine.rolname = current_user AND login.rolname = session_user AND audit.oid = 'rapport.audit_event'::regclass

-- name: errored
SELECT error_reason, count(*) FROM memory WHERE status = 'ERRORED' GROUP BY error_reason ORDER BY count(*) DESC

-- name: processes
SELECT p.process_id, extract(epoch FROM clock_timestamp() - p.heartbeat)::float8,
       (SELECT count(*) FROM erasure_replica r WHERE r.process_id = p.process_id)
  FROM server_process p ORDER BY p.heartbeat DESC

-- name: unverified
SELECT count(*) FROM erasure e
 WHERE NOT e.verified
   AND NOT EXISTS (SELECT FROM erasure_replica r JOIN server_process p USING (process_id)
                    WHERE r.tenant_id = e.tenant_id AND r.receipt_id = e.receipt_id)

-- name: heads
SELECT tenant_id, shard_id, seq, token FROM shard_head ORDER BY tenant_id, shard_id LIMIT %(limit)s

-- name: token_at
SELECT token FROM shard_change WHERE tenant_id = %(tenant)s AND shard_id = %(shard)s AND seq = %(seq)s

-- The shortest first: with a bound on the rows read, most tenants are looked at.
-- name: chains
SELECT tenant_id, sequence FROM audit_head ORDER BY sequence, tenant_id LIMIT %(limit)s
