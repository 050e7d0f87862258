-- The memory rows that wait to be indexed. Nothing here waits for a row that another transaction holds, except where the
-- caller holds the person's lock or touches a single row.

-- name: claim
WITH later AS MATERIALIZED (
    SELECT tenant_id FROM memory
     WHERE status IN ('QUEUED', 'PROCESSING') AND tenant_id > %(after_tenant)s
       AND (status = 'QUEUED' OR attempts < %(attempts_max)s)
       AND (lease_until IS NULL OR lease_until < clock_timestamp())
       AND (octet_length(text) > %(long_bytes)s) = %(long)s
     ORDER BY tenant_id, version LIMIT 1 FOR UPDATE SKIP LOCKED
), around AS MATERIALIZED (
    SELECT tenant_id FROM memory
     WHERE status IN ('QUEUED', 'PROCESSING') AND tenant_id <= %(after_tenant)s
       AND NOT EXISTS (SELECT FROM later)
       AND (status = 'QUEUED' OR attempts < %(attempts_max)s)
       AND (lease_until IS NULL OR lease_until < clock_timestamp())
       AND (octet_length(text) > %(long_bytes)s) = %(long)s
     ORDER BY tenant_id, version LIMIT 1 FOR UPDATE SKIP LOCKED
), next_tenant AS (
    SELECT tenant_id FROM later UNION ALL SELECT tenant_id FROM around
), waiting AS MATERIALIZED (
    SELECT tenant_id, store, end_user_id, source_id, version, octet_length(text) AS text_bytes FROM memory
     WHERE status IN ('QUEUED', 'PROCESSING') AND tenant_id = (SELECT tenant_id FROM next_tenant)
       AND (status = 'QUEUED' OR attempts < %(attempts_max)s)
       AND (lease_until IS NULL OR lease_until < clock_timestamp())
       AND (octet_length(text) > %(long_bytes)s) = %(long)s
     ORDER BY tenant_id, version LIMIT %(limit)s FOR UPDATE SKIP LOCKED
), summed AS (
    SELECT *, sum(text_bytes) OVER (ORDER BY version) - text_bytes AS bytes_before FROM waiting
)
UPDATE memory m
   SET status = 'PROCESSING', attempts = m.attempts + 1, lease_token = %(token)s,
       lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s), update_time = clock_timestamp()
  FROM summed s
 WHERE m.tenant_id = s.tenant_id AND m.store = s.store AND m.end_user_id = s.end_user_id
   AND m.source_id = s.source_id AND m.version = s.version AND s.bytes_before < %(bytes_max)s
RETURNING m.tenant_id, m.store, m.end_user_id, m.source_id, m.version, m.attempts, m.text, m.kind, m.person_no, m.shard_id

-- name: renew
WITH mine AS (
    SELECT m.tenant_id, m.store, m.end_user_id, m.source_id, m.version
      FROM unnest(%(tenants)s::text[], %(versions)s::bigint[], %(tokens)s::uuid[]) AS i(tenant_id, version, token)
      JOIN memory m ON m.tenant_id = i.tenant_id AND m.version = i.version AND m.lease_token = i.token
     WHERE m.status = 'PROCESSING'
       FOR UPDATE OF m SKIP LOCKED
)
UPDATE memory m SET lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
  FROM mine
 WHERE m.tenant_id = mine.tenant_id AND m.store = mine.store AND m.end_user_id = mine.end_user_id
   AND m.source_id = mine.source_id AND m.version = mine.version

-- name: release
WITH mine AS (
    SELECT m.tenant_id, m.store, m.end_user_id, m.source_id, m.version
      FROM unnest(%(tenants)s::text[], %(versions)s::bigint[], %(tokens)s::uuid[]) AS i(tenant_id, version, token)
      JOIN memory m ON m.tenant_id = i.tenant_id AND m.version = i.version AND m.lease_token = i.token
     WHERE m.status = 'PROCESSING'
       FOR UPDATE OF m SKIP LOCKED
)
UPDATE memory m
   SET status = 'QUEUED', attempts = m.attempts - 1, lease_token = NULL, lease_until = NULL, update_time = clock_timestamp()
  FROM mine
 WHERE m.tenant_id = mine.tenant_id AND m.store = mine.store AND m.end_user_id = mine.end_user_id
   AND m.source_id = mine.source_id AND m.version = mine.version

-- name: lock_owned
SELECT m.version
  FROM unnest(%(tenants)s::text[], %(versions)s::bigint[], %(tokens)s::uuid[]) AS i(tenant_id, version, token)
  JOIN memory m ON m.tenant_id = i.tenant_id AND m.version = i.version AND m.lease_token = i.token
 WHERE m.status = 'PROCESSING'
 ORDER BY m.version
   FOR UPDATE OF m

-- The new version takes the place of every older one in the same statement that makes it recallable.
-- name: complete_many
WITH done AS (
    SELECT * FROM unnest(%(stores)s::text[], %(end_users)s::text[], %(sources)s::text[], %(versions)s::bigint[],
                         %(persons)s::bigint[], %(shards)s::integer[])
        WITH ORDINALITY AS d(store, end_user_id, source_id, version, person_no, shard_id, number)
), marked AS (
    UPDATE memory m
       SET status = 'COMPLETED', replaces = false, lease_token = NULL, lease_until = NULL,
           error_reason = '', error_message = '', update_time = clock_timestamp()
      FROM done d
     WHERE m.tenant_id = %(tenant)s AND m.store = d.store AND m.end_user_id = d.end_user_id
       AND m.source_id = d.source_id AND m.version = d.version
), older AS (
    DELETE FROM memory m USING done d
     WHERE m.tenant_id = %(tenant)s AND m.store = d.store AND m.end_user_id = d.end_user_id
       AND m.source_id = d.source_id AND m.version < d.version
    RETURNING m.store, m.end_user_id, m.source_id, m.version
), removed AS (
    DELETE FROM chunk c USING older o
     WHERE c.tenant_id = %(tenant)s AND c.store = o.store AND c.end_user_id = o.end_user_id
       AND c.source_id = o.source_id AND c.version = o.version
    RETURNING c.shard_id, c.chunk_id
), unprompted AS (
    -- What was read from the older text and nobody touched since.
    DELETE FROM person_trigger t USING older o
     WHERE t.tenant_id = %(tenant)s AND t.end_user_id = o.end_user_id AND t.source_id = o.source_id AND NOT t.by_hand
), added AS (
    INSERT INTO chunk (tenant_id, store, end_user_id, source_id, version, person_no, shard_id, chunk_index, text, vector)
    SELECT %(tenant)s, d.store, d.end_user_id, d.source_id, d.version, d.person_no, d.shard_id, p.chunk_index, p.text, p.vector
      FROM unnest(%(piece_numbers)s::bigint[], %(piece_indexes)s::integer[], %(piece_texts)s::text[],
                  %(piece_vectors)b::bytea[]) AS p(number, chunk_index, text, vector)
      JOIN done d USING (number)
     ORDER BY number, p.chunk_index
    RETURNING shard_id, chunk_id
)
SELECT shard_id, chunk_id, true FROM added
UNION ALL
SELECT shard_id, chunk_id, false FROM removed

-- name: fail
UPDATE memory
   SET status = CASE WHEN %(final)s THEN 'ERRORED' ELSE 'QUEUED' END, lease_token = NULL,
       lease_until = CASE WHEN %(final)s THEN NULL
                          ELSE clock_timestamp() + attempts * make_interval(secs => %(wait_s)s) END,
       error_reason = %(reason)s, error_message = %(message)s, update_time = clock_timestamp()
 WHERE tenant_id = %(tenant)s AND store = %(store)s AND end_user_id = %(end_user)s AND source_id = %(source)s
   AND version = %(version)s AND lease_token = %(token)s AND status = 'PROCESSING'

-- name: bury_lost
WITH lost AS (
    SELECT tenant_id, store, end_user_id, source_id, version FROM memory
     WHERE status = 'PROCESSING'
       AND lease_until < clock_timestamp() AND attempts >= %(attempts_max)s
     LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
UPDATE memory m
   SET status = 'ERRORED', lease_token = NULL, lease_until = NULL, error_reason = 'WORKER_LOST',
       error_message = %(message)s, update_time = clock_timestamp()
  FROM lost
 WHERE m.tenant_id = lost.tenant_id AND m.store = lost.store AND m.end_user_id = lost.end_user_id
   AND m.source_id = lost.source_id AND m.version = lost.version

-- name: retry
UPDATE memory
   SET status = 'QUEUED', attempts = 0, lease_token = NULL, lease_until = NULL, error_reason = '', error_message = '',
       update_time = clock_timestamp()
 WHERE tenant_id = %(tenant)s AND store = %(store)s AND end_user_id = %(end_user)s AND source_id = ANY(%(sources)s)
   AND status = 'ERRORED'
RETURNING source_id

-- name: list_unfinished
SELECT source_id, end_user_id, version, status, attempts,
       extract(epoch FROM clock_timestamp() - create_time)::float8, error_reason, error_message
  FROM memory
 WHERE tenant_id = %(tenant)s AND status <> 'COMPLETED' AND version > %(after)s
 ORDER BY version LIMIT %(size)s

-- name: measure_depth
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(create_time)), 0)::float8
  FROM memory WHERE status IN ('QUEUED', 'PROCESSING')
