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
-- The wall: whatever an index said, only this scope's living chunks come out. Chunks by their ids first and then each one's
-- memory, also while Postgres knows nothing of the tables yet and would rather read all memories of the person.
WITH wanted AS MATERIALIZED (
    SELECT chunk_id, store, end_user_id, source_id, version, chunk_index, text
    FROM chunk WHERE tenant_id = %(tenant_id)s AND chunk_id = ANY (%(chunk_ids)s::bigint[])
)
SELECT chunk_id, chunk_index, coalesce(wanted.text, m.text) AS chunk_text,
       tenant_id, m.store, m.end_user_id, m.source_id, m.version, kind, title, user_name, speaker, channel,
       session_id, time_zone, metadata, additional_metadata, pinned, infer, occurred_at, expires_at, create_time,
       update_time, interaction_id, intent, detected_emotions
FROM wanted CROSS JOIN LATERAL (
    SELECT * FROM memory
    WHERE memory.tenant_id = %(tenant_id)s AND memory.store = %(store)s AND memory.end_user_id = %(end_user_id)s
      AND memory.source_id = wanted.source_id AND memory.version = wanted.version
      AND memory.status = 'COMPLETED' AND (memory.expires_at IS NULL OR memory.expires_at > statement_timestamp())
    LIMIT 1
) AS m
WHERE wanted.store = %(store)s AND wanted.end_user_id = %(end_user_id)s
