-- name: insert
INSERT INTO api_key (tenant_id, key_id, role, secret_hash, expire_time)
VALUES (%(tenant_id)s, %(key_id)s, %(role)s, %(secret_hash)s, %(expire_time)s)
RETURNING tenant_id, key_id, role, create_time, expire_time, revoke_time

-- name: find
SELECT tenant_id, key_id, role, create_time, expire_time, revoke_time, secret_hash FROM api_key WHERE key_id = %s

-- name: revoke
-- The notice is delivered when the transaction commits, so that nobody re-reads the key too early.
WITH revoked AS (
    UPDATE api_key SET revoke_time = coalesce(revoke_time, now())
    WHERE tenant_id = %(tenant_id)s AND key_id = %(key_id)s
    RETURNING tenant_id, key_id, role, create_time, expire_time, revoke_time
), notified AS MATERIALIZED (
    SELECT pg_notify('rapport', json_build_object('kind', 'key', 'key_id', key_id)::text)
    FROM revoked
)
SELECT revoked.* FROM revoked, (SELECT count(*) FROM notified) AS sent

-- name: page
SELECT tenant_id, key_id, role, create_time, expire_time, revoke_time
FROM api_key WHERE tenant_id = %(tenant_id)s AND key_id > %(after)s ORDER BY key_id LIMIT %(size)s

-- name: any
SELECT EXISTS (SELECT FROM api_key)
