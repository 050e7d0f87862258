-- The row lock on the head is held to the commit, so that each event continues the one before it. The hash that comes
-- back is still the one of the event before.
-- name: take_number
INSERT INTO audit_head AS h (tenant_id, sequence, hash) VALUES (%(tenant)s, 1, %(genesis)s)
ON CONFLICT (tenant_id) DO UPDATE SET sequence = h.sequence + 1
RETURNING sequence, hash, clock_timestamp()

-- name: append
WITH event AS (
    INSERT INTO audit_event (tenant_id, sequence, time, kind, actor_key_id, subject_hash, details, previous_hash, hash)
    VALUES (%(tenant)s, %(sequence)s, %(time)s, %(kind)s, %(actor)s, %(subject)s, %(details)s, %(previous)s, %(hash)s)
)
UPDATE audit_head SET hash = %(hash)s WHERE tenant_id = %(tenant)s

-- name: page_oldest_first
SELECT sequence, time, kind, actor_key_id, subject_hash, details, previous_hash, hash
  FROM audit_event
 WHERE tenant_id = %(tenant)s AND sequence > coalesce(%(after)s::bigint, 0)
   AND (%(kind)s::text IS NULL OR kind = %(kind)s)
   AND (%(start)s::timestamptz IS NULL OR time >= %(start)s)
   AND (%(end)s::timestamptz IS NULL OR time < %(end)s)
 ORDER BY sequence LIMIT %(size)s

-- name: page_newest_first
SELECT sequence, time, kind, actor_key_id, subject_hash, details, previous_hash, hash
  FROM audit_event
 WHERE tenant_id = %(tenant)s AND sequence < coalesce(%(after)s::bigint, 9223372036854775807)
   AND (%(kind)s::text IS NULL OR kind = %(kind)s)
   AND (%(start)s::timestamptz IS NULL OR time >= %(start)s)
   AND (%(end)s::timestamptz IS NULL OR time < %(end)s)
 ORDER BY sequence DESC LIMIT %(size)s

-- Head and events in one statement: one snapshot, whatever the isolation level.
-- name: chain
SELECT h.sequence, h.hash, e.sequence, e.time, e.kind, e.actor_key_id, e.subject_hash, e.details, e.previous_hash, e.hash
  FROM (VALUES (%(tenant)s::text)) AS t(tenant_id)
  LEFT JOIN audit_head h ON h.tenant_id = t.tenant_id
  LEFT JOIN audit_event e ON e.tenant_id = t.tenant_id
 ORDER BY e.sequence
