-- name: append
WITH head AS (
    UPDATE shard_head
       SET seq = seq + 1, token = gen_random_uuid(),
           vectors = vectors + cardinality(%(added)s::bigint[]) - cardinality(%(removed)s::bigint[]) - %(dropped_vectors)s,
           persons = persons - cardinality(%(dropped)s::bigint[])
     WHERE tenant_id = %(tenant)s AND shard_id = %(shard)s
    RETURNING seq, token
)
INSERT INTO shard_change (tenant_id, shard_id, seq, token, added, removed, dropped)
SELECT %(tenant)s, %(shard)s, seq, token, %(added)s::bigint[], %(removed)s::bigint[], %(dropped)s::bigint[] FROM head
RETURNING seq, token

-- name: create
WITH head AS (
    INSERT INTO shard_head (tenant_id, shard_id) VALUES (%(tenant)s, %(shard)s)
    ON CONFLICT DO NOTHING
    RETURNING tenant_id, shard_id, seq, token
)
INSERT INTO shard_change (tenant_id, shard_id, seq, token, added, removed, dropped)
SELECT tenant_id, shard_id, seq, token, '{}', '{}', '{}' FROM head
RETURNING seq

-- name: prune
DELETE FROM shard_change WHERE (tenant_id, shard_id, seq) IN (
    SELECT c.tenant_id, c.shard_id, c.seq
      FROM shard_head h
      JOIN shard_change c ON c.tenant_id = h.tenant_id AND c.shard_id = h.shard_id AND c.seq < h.seq - %(keep)s
     LIMIT %(limit)s
       FOR UPDATE OF c SKIP LOCKED
)

-- name: ids
SELECT shard_id FROM shard_head WHERE tenant_id = %(tenant)s ORDER BY shard_id

-- name: keys
SELECT tenant_id, shard_id FROM shard_head

-- name: head
SELECT seq, token FROM shard_head WHERE tenant_id = %(tenant)s AND shard_id = %(shard)s

-- name: changes_since
SELECT seq, token, added, removed, dropped FROM shard_change
 WHERE tenant_id = %(tenant)s AND shard_id = %(shard)s AND seq >= %(seq)s
 ORDER BY seq LIMIT %(limit)s

-- The first statement of a transaction that reads one snapshot.
-- name: freeze
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY

-- Many rows come back as one: three strings of bytes that need no work per row.
-- name: vectors_of
SELECT string_agg(int8send(chunk_id), ''), string_agg(int8send(person_no), ''), string_agg(vector, '')
  FROM (SELECT chunk_id, person_no, vector FROM chunk
         WHERE tenant_id = %(tenant)s AND chunk_id = ANY(%(ids)s) ORDER BY chunk_id) AS c

-- name: scan
SELECT string_agg(int8send(chunk_id), ''), string_agg(int8send(person_no), ''), string_agg(vector, '')
  FROM (SELECT chunk_id, person_no, vector FROM chunk
         WHERE tenant_id = %(tenant)s AND shard_id = %(shard)s AND chunk_id > %(after)s
         ORDER BY chunk_id LIMIT %(limit)s) AS c
