-- name: allowed
-- One value in place of a row per chunk: a person may have tens of thousands. Eight bytes each, big-endian.
WITH passing AS MATERIALIZED (
    SELECT source_id, version FROM memory m
    WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
      AND status = 'COMPLETED' AND (expires_at IS NULL OR expires_at > statement_timestamp())
      AND {filter}
)
SELECT string_agg(int8send(chunk_id), ''::bytea ORDER BY chunk_id)
FROM passing CROSS JOIN LATERAL (
    SELECT chunk_id FROM chunk
    WHERE chunk.tenant_id = %(tenant_id)s AND chunk.store = %(store)s AND chunk.end_user_id = %(end_user_id)s
      AND chunk.source_id = passing.source_id AND chunk.version = passing.version
    OFFSET 0
) AS own

-- name: fetch
-- The wall: whatever an index said, only the living chunks of the scope that was asked for come out. Chunks by their ids
-- first and then each one's memory, also while Postgres knows nothing of the tables yet and would rather read all memories
-- of the person: what has a LIMIT is looked up row by row. What is empty comes as NULL, which nobody has to decode.
SELECT chunk_id, chunk_index, coalesce(c.text, m.text) AS chunk_text,
       m.tenant_id, m.store, m.end_user_id, m.source_id, m.version, kind, title, user_name, speaker, channel,
       session_id, time_zone, nullif(metadata, '{}'), nullif(additional_metadata, '{}'), pinned, infer, occurred_at,
       expires_at, create_time, update_time, interaction_id, intent, nullif(detected_emotions, '[]')
FROM unnest(%(tenant_ids)s::text[], %(stores)s::text[], %(end_user_ids)s::text[], %(chunk_lists)s::text[])
    AS asked (tenant_id, store, end_user_id, chunk_list)
CROSS JOIN LATERAL unnest(string_to_array(asked.chunk_list, ',')::bigint[]) AS wanted (asked_id)
CROSS JOIN LATERAL (
    SELECT chunk_id, store, end_user_id, source_id, version, chunk_index, text
    FROM chunk WHERE chunk.tenant_id = asked.tenant_id AND chunk.chunk_id = wanted.asked_id
    LIMIT 1
) AS c
CROSS JOIN LATERAL (
    SELECT * FROM memory
    WHERE memory.tenant_id = asked.tenant_id AND memory.store = c.store AND memory.end_user_id = c.end_user_id
      AND memory.source_id = c.source_id AND memory.version = c.version
      AND memory.status = 'COMPLETED' AND (memory.expires_at IS NULL OR memory.expires_at > statement_timestamp())
    LIMIT 1
) AS m
WHERE c.store = asked.store AND c.end_user_id = asked.end_user_id
