-- name: insert
INSERT INTO tenant (tenant_id, plan, metadata_schema, default_end_user_id, initial_trust, infer_default, allow_llm)
VALUES (%(tenant_id)s, %(plan)s, %(metadata_schema)s, %(default_end_user_id)s, %(initial_trust)s, %(infer_default)s,
        %(allow_llm)s)
ON CONFLICT (tenant_id) DO NOTHING

-- name: get
SELECT tenant_id, plan, metadata_schema, default_end_user_id, initial_trust, infer_default, allow_llm, create_time,
       update_time
FROM tenant WHERE tenant_id = %s AND NOT closing

-- name: lock
SELECT tenant_id, plan, metadata_schema, default_end_user_id, initial_trust, infer_default, allow_llm, create_time,
       update_time
FROM tenant WHERE tenant_id = %s AND NOT closing FOR UPDATE

-- name: hold
SELECT true FROM tenant WHERE tenant_id = %s AND NOT closing FOR KEY SHARE

-- name: closed
SELECT tenant_id FROM tenant WHERE closing ORDER BY tenant_id

-- name: close
UPDATE tenant SET closing = true WHERE tenant_id = %s

-- name: update
UPDATE tenant
SET plan = %(plan)s, metadata_schema = %(metadata_schema)s, default_end_user_id = %(default_end_user_id)s,
    initial_trust = %(initial_trust)s, infer_default = %(infer_default)s, allow_llm = %(allow_llm)s,
    update_time = clock_timestamp()
WHERE tenant_id = %(tenant_id)s
RETURNING tenant_id, plan, metadata_schema, default_end_user_id, initial_trust, infer_default, allow_llm, create_time,
          update_time

-- name: delete
DELETE FROM tenant WHERE tenant_id = %s

-- name: delete_keys
DELETE FROM api_key WHERE tenant_id = %s AND role <> 'OPERATOR'

-- name: delete_changes
DELETE FROM shard_change WHERE tenant_id = %s

-- name: delete_heads
DELETE FROM shard_head WHERE tenant_id = %s

-- name: delete_turn
DELETE FROM reading_turn WHERE tenant_id = %s

-- name: notify
-- Delivered when the transaction commits, so that nobody re-reads the tenant too early.
SELECT pg_notify('rapport', json_build_object('kind', 'tenant', 'tenant_id', %s::text)::text)

-- name: page
SELECT tenant_id, plan, metadata_schema, default_end_user_id, initial_trust, infer_default, allow_llm, create_time,
       update_time
FROM tenant WHERE tenant_id > %(after)s AND NOT closing ORDER BY tenant_id LIMIT %(size)s

-- name: status
-- All vectors of an installation are equally long, so one of them tells the size of all.
WITH stored AS (
    SELECT count(*) FILTER (WHERE NOT replaces) AS memories,
           count(*) FILTER (WHERE status IN ('QUEUED', 'PROCESSING')) AS queued,
           coalesce(sum(octet_length(text)), 0) AS text_bytes
    FROM memory
    WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND (expires_at IS NULL OR expires_at > statement_timestamp())
), indexed AS (
    SELECT count(*) AS chunks FROM chunk WHERE tenant_id = %(tenant_id)s AND store = %(store)s
), vector AS (
    SELECT octet_length(vector) AS bytes FROM chunk WHERE tenant_id = %(tenant_id)s LIMIT 1
)
SELECT memories, chunks, (text_bytes + chunks * coalesce((SELECT bytes FROM vector), 0))::bigint AS bytes, queued
FROM stored, indexed
