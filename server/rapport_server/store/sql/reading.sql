-- name: take_turn
-- The tenants with unread memories are found one index look-up each, however many memories there are.
WITH RECURSIVE waiting AS (
    (SELECT tenant_id FROM memory WHERE unread AND status = 'COMPLETED' ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT m.tenant_id FROM memory m
            WHERE m.unread AND m.status = 'COMPLETED' AND m.tenant_id > waiting.tenant_id
            ORDER BY m.tenant_id LIMIT 1)
    FROM waiting WHERE waiting.tenant_id IS NOT NULL
), free AS (
    SELECT waiting.tenant_id FROM waiting LEFT JOIN reading_turn turn USING (tenant_id)
    WHERE waiting.tenant_id IS NOT NULL
      AND (turn.tenant_id IS NULL OR turn.token = %(token)s OR turn.until < clock_timestamp())
    ORDER BY waiting.tenant_id <= %(after)s, waiting.tenant_id LIMIT 1
)
INSERT INTO reading_turn (tenant_id, token, until)
SELECT tenant_id, %(token)s, clock_timestamp() + make_interval(secs => %(lease_s)s) FROM free
ON CONFLICT (tenant_id) DO UPDATE SET token = excluded.token, until = excluded.until
WHERE reading_turn.token = excluded.token OR reading_turn.until < clock_timestamp()
RETURNING tenant_id

-- name: give_back
DELETE FROM reading_turn WHERE token = %(token)s

-- name: unread
-- Of exchanges only what the person said; the name and the time zone are the person's where the memory has none.
SELECT m.end_user_id, m.source_id, m.version, m.kind,
       CASE WHEN m.pairs = '[]' THEN ARRAY[left(m.text, %(chars)s)]
            ELSE ARRAY(SELECT left(pair ->> 'user', %(chars)s)
                       FROM jsonb_array_elements(m.pairs) WITH ORDINALITY AS said (pair, number) ORDER BY number) END,
       coalesce(nullif(m.user_name, ''), u.user_name, ''), m.speaker, m.occurred_at, m.create_time,
       coalesce(nullif(m.time_zone, ''), u.time_zone, '')
FROM (
    SELECT *, sum(bytes) OVER (ORDER BY version) - bytes AS bytes_before
    FROM (
        SELECT tenant_id, end_user_id, source_id, version, kind, text, pairs, user_name, speaker, occurred_at, create_time,
               time_zone, least(octet_length(text), %(chars)s) AS bytes
        FROM memory
        WHERE tenant_id = %(tenant_id)s AND unread AND status = 'COMPLETED'
        ORDER BY version LIMIT %(limit)s
    ) AS oldest
) AS m
LEFT JOIN end_user u ON u.tenant_id = m.tenant_id AND u.end_user_id = m.end_user_id
WHERE bytes_before < %(bytes_max)s
ORDER BY m.version

-- name: lock_unread
SELECT version FROM memory
WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
  AND version = ANY (%(versions)s::bigint[]) AND unread AND status = 'COMPLETED'
  AND (expires_at IS NULL OR expires_at > statement_timestamp())
ORDER BY version
FOR UPDATE

-- name: mark_read
WITH mine AS (
    SELECT tenant_id, store, end_user_id, source_id, version FROM memory
    WHERE tenant_id = %(tenant_id)s AND version = ANY (%(versions)s::bigint[]) AND unread AND status = 'COMPLETED'
    FOR UPDATE SKIP LOCKED
)
UPDATE memory m SET unread = false
FROM mine
WHERE m.tenant_id = mine.tenant_id AND m.store = mine.store AND m.end_user_id = mine.end_user_id
  AND m.source_id = mine.source_id AND m.version = mine.version
