-- name: existing
SELECT DISTINCT source_id FROM memory
WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
  AND source_id = ANY (%(source_ids)s::text[]) AND (expires_at IS NULL OR expires_at > statement_timestamp())

-- name: enqueue
-- Earlier versions that never completed have no chunks and simply go; a completed one is served until this one completes.
WITH draft AS MATERIALIZED (
    SELECT * FROM ROWS FROM (jsonb_to_recordset(%(drafts)s) AS (
        source_id text, kind text, text text, pairs jsonb, title text, user_name text, speaker text, channel text,
        session_id text, time_zone text, metadata jsonb, additional_metadata jsonb, pinned boolean, infer boolean,
        interaction_id uuid, intent text, detected_emotions jsonb, occurred_at timestamptz, expiry_s double precision,
        expires_at timestamptz
    )) WITH ORDINALITY
), earlier AS (
    DELETE FROM memory m USING draft
    WHERE m.tenant_id = %(tenant_id)s AND m.store = %(store)s AND m.end_user_id = %(end_user_id)s
      AND m.source_id = draft.source_id AND m.status <> 'COMPLETED'
)
INSERT INTO memory (tenant_id, store, end_user_id, source_id, kind, status, replaces, person_no, shard_id, text, pairs,
                    title, user_name, speaker, channel, session_id, time_zone, metadata, additional_metadata, pinned,
                    infer, interaction_id, intent, detected_emotions, occurred_at, expires_at, unread)
SELECT %(tenant_id)s, %(store)s, %(end_user_id)s, source_id, kind, 'QUEUED',
       EXISTS (SELECT FROM memory m
               WHERE m.tenant_id = %(tenant_id)s AND m.store = %(store)s AND m.end_user_id = %(end_user_id)s
                 AND m.source_id = draft.source_id AND m.status = 'COMPLETED'),
       %(person_no)s, %(shard_id)s, text, pairs, title, user_name, speaker, channel, session_id, time_zone, metadata,
       additional_metadata, pinned, infer, interaction_id, intent, detected_emotions, coalesce(occurred_at, now()),
       coalesce(draft.expires_at, now() + nullif(expiry_s, 0) * interval '1 second'),
       %(store)s = 'MEMORIES' AND kind IN ('INTERACTION', 'ADDED')
FROM draft ORDER BY ordinality

-- name: insert_completed
WITH stored AS (
    INSERT INTO memory (tenant_id, store, end_user_id, source_id, kind, status, person_no, shard_id, text, pairs, title,
                        user_name, speaker, channel, session_id, time_zone, metadata, additional_metadata, pinned, infer,
                        interaction_id, intent, detected_emotions, occurred_at, expires_at, unread)
    VALUES (%(tenant_id)s, %(store)s, %(end_user_id)s, %(source_id)s, %(kind)s, 'COMPLETED', %(person_no)s, %(shard_id)s,
            %(text)s, %(pairs)s, %(title)s, %(user_name)s, %(speaker)s, %(channel)s, %(session_id)s, %(time_zone)s,
            %(metadata)s, %(additional_metadata)s, %(pinned)s, %(infer)s, %(interaction_id)s, %(intent)s,
            %(detected_emotions)s, coalesce(%(occurred_at)s::timestamptz, now()),
            coalesce(%(expires_at)s::timestamptz, now() + nullif(%(expiry_s)s, 0) * interval '1 second'),
            %(store)s = 'MEMORIES' AND %(kind)s IN ('INTERACTION', 'ADDED'))
    RETURNING version
), indexed AS (
    INSERT INTO chunk (tenant_id, store, end_user_id, source_id, version, person_no, shard_id, chunk_index, text, vector)
    SELECT %(tenant_id)s, %(store)s, %(end_user_id)s, %(source_id)s, version, %(person_no)s, %(shard_id)s, chunk_index,
           chunk_text, vector
    FROM stored, unnest(%(chunk_indexes)s::integer[], %(chunk_texts)s::text[], %(vectors)b::bytea[])
        AS given (chunk_index, chunk_text, vector)
    RETURNING chunk_id, chunk_index
)
SELECT chunk_id FROM indexed ORDER BY chunk_index

-- name: get_many
SELECT DISTINCT ON (source_id)
       tenant_id, store, end_user_id, source_id, version, kind, status, text, pairs, title, user_name, speaker, channel,
       session_id, time_zone, metadata, additional_metadata, pinned, infer, occurred_at, expires_at, create_time,
       update_time, interaction_id, intent, detected_emotions
FROM memory
WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
  AND source_id = ANY (%(source_ids)s::text[]) AND (expires_at IS NULL OR expires_at > statement_timestamp())
ORDER BY source_id, status = 'COMPLETED' DESC, version DESC

-- name: by_interaction
SELECT tenant_id, store, end_user_id, source_id, version, kind, status, text, pairs, title, user_name, speaker, channel,
       session_id, time_zone, metadata, additional_metadata, pinned, infer, occurred_at, expires_at, create_time,
       update_time, interaction_id, intent, detected_emotions
FROM memory
WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
  AND interaction_id = %(interaction_id)s AND kind = 'INTERACTION'
  AND (expires_at IS NULL OR expires_at > statement_timestamp())
ORDER BY status = 'COMPLETED' DESC, version DESC LIMIT 1

-- name: page
-- The sum of the lengths is known without reading the texts themselves; those of rows that are cut off are never read.
WITH page AS MATERIALIZED (
    SELECT version, source_id, sum(octet_length(text)) OVER (ORDER BY version DESC) - octet_length(text) AS bytes_before
    FROM (
        SELECT version, source_id, text FROM memory m
        WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
          AND version < %(after)s
          AND (%(kind)s = '' OR kind = %(kind)s)
          AND (%(channel)s = '' OR channel = %(channel)s) AND (%(session_id)s = '' OR session_id = %(session_id)s)
          AND occurred_at >= coalesce(%(start)s::timestamptz, '-infinity')
          AND occurred_at < coalesce(%(end)s::timestamptz, 'infinity')
          AND (expires_at IS NULL OR expires_at > statement_timestamp())
          AND (NOT replaces OR NOT EXISTS (
              SELECT FROM memory served
              WHERE served.tenant_id = %(tenant_id)s AND served.store = %(store)s
                AND served.end_user_id = %(end_user_id)s AND served.source_id = m.source_id
                AND served.status = 'COMPLETED'
                AND (served.expires_at IS NULL OR served.expires_at > statement_timestamp())
              OFFSET 0))
          AND {filter}
        ORDER BY version DESC LIMIT %(size)s
    ) AS newest
)
SELECT tenant_id, store, end_user_id, m.source_id, m.version, kind, status, text, pairs, title, user_name, speaker,
       channel, session_id, time_zone, metadata, additional_metadata, pinned, infer, occurred_at, expires_at,
       create_time, update_time, interaction_id, intent, detected_emotions
FROM page JOIN memory m ON m.tenant_id = %(tenant_id)s AND m.store = %(store)s AND m.end_user_id = %(end_user_id)s
                       AND m.source_id = page.source_id AND m.version = page.version
WHERE bytes_before <= %(bytes_max)s
ORDER BY m.version DESC

-- name: update
UPDATE memory
SET title = %(title)s, text = %(text)s, pairs = %(pairs)s, metadata = %(metadata)s,
    additional_metadata = %(additional_metadata)s, pinned = %(pinned)s, update_time = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s AND source_id = %(source_id)s
  AND version = %(version)s AND (expires_at IS NULL OR expires_at > statement_timestamp())
RETURNING tenant_id, store, end_user_id, source_id, version, kind, status, text, pairs, title, user_name, speaker,
          channel, session_id, time_zone, metadata, additional_metadata, pinned, infer, occurred_at, expires_at,
          create_time, update_time, interaction_id, intent, detected_emotions

-- name: delete
WITH gone AS (
    DELETE FROM memory
    WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
      AND source_id = ANY (%(source_ids)s::text[])
    RETURNING source_id, kind, interaction_id, expires_at
), spoken AS (
    DELETE FROM message USING gone
    WHERE message.tenant_id = %(tenant_id)s AND message.end_user_id = %(end_user_id)s
      AND message.interaction_id = gone.interaction_id AND gone.kind = 'INTERACTION'
), unindexed AS (
    DELETE FROM chunk
    WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
      AND source_id = ANY (%(source_ids)s::text[])
    RETURNING chunk_id
), unprompted AS (
    DELETE FROM person_trigger
    WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND source_id = ANY (%(source_ids)s::text[])
)
SELECT (SELECT count(DISTINCT source_id) FROM gone WHERE expires_at IS NULL OR expires_at > statement_timestamp()) AS count,
       ARRAY(SELECT chunk_id FROM unindexed ORDER BY chunk_id) AS chunk_ids

-- name: delete_expired
WITH gone AS (
    DELETE FROM memory
    WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
      AND source_id = ANY (%(source_ids)s::text[]) AND expires_at <= statement_timestamp()
    RETURNING source_id, version, kind, interaction_id, replaces, status
), successor AS (
    UPDATE memory SET replaces = false FROM gone
    WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
      AND memory.source_id = gone.source_id AND gone.status = 'COMPLETED' AND memory.replaces
      AND (memory.expires_at IS NULL OR memory.expires_at > statement_timestamp())
), spoken AS (
    DELETE FROM message USING gone
    WHERE message.tenant_id = %(tenant_id)s AND message.end_user_id = %(end_user_id)s
      AND message.interaction_id = gone.interaction_id AND gone.kind = 'INTERACTION'
), unindexed AS (
    DELETE FROM chunk USING gone
    WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
      AND chunk.source_id = gone.source_id AND chunk.version = gone.version
    RETURNING chunk_id
), unprompted AS (
    DELETE FROM person_trigger USING gone
    WHERE person_trigger.tenant_id = %(tenant_id)s AND person_trigger.end_user_id = %(end_user_id)s
      AND person_trigger.source_id = gone.source_id
      AND (gone.status = 'COMPLETED' AND NOT by_hand OR NOT EXISTS (
          SELECT FROM memory m
          WHERE m.tenant_id = %(tenant_id)s AND m.store = %(store)s AND m.end_user_id = %(end_user_id)s
            AND m.source_id = gone.source_id AND (m.expires_at IS NULL OR m.expires_at > statement_timestamp())))
)
SELECT (SELECT count(DISTINCT source_id) FROM gone) AS count, ARRAY(SELECT chunk_id FROM unindexed ORDER BY chunk_id) AS chunk_ids

-- name: oldest_beyond
-- The bound is found in the index alone, before any row is read.
WITH bound AS MATERIALIZED (
    SELECT occurred_at, version FROM memory
    WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s AND kind = %(kind)s
      AND status = 'COMPLETED' AND NOT pinned
    ORDER BY occurred_at DESC, version DESC OFFSET %(keep)s LIMIT 1
)
SELECT source_id FROM (
    SELECT source_id, sum(text_bytes) OVER (ORDER BY occurred_at, version) - text_bytes AS bytes_before
    FROM (
        SELECT source_id, occurred_at, version, octet_length(text) AS text_bytes FROM memory
        WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s AND kind = %(kind)s
          AND status = 'COMPLETED' AND NOT pinned
          AND (occurred_at, version) <= ((SELECT occurred_at FROM bound), (SELECT version FROM bound))
        ORDER BY occurred_at, version LIMIT %(limit)s
    ) AS oldest
) AS summed
WHERE bytes_before < %(bytes_max)s
ORDER BY bytes_before

-- name: over_plan
-- People in the order of their ids, a bounded number of them; whoever has no more in all than one kind may have is not looked at.
WITH people AS MATERIALIZED (
    SELECT limited.tenant_id, u.end_user_id, u.stored_count, limited.keep
    FROM (SELECT tenant_id, keep FROM tenant
          JOIN unnest(%(plans)s::text[], %(keeps)s::int[]) AS plans (plan, keep) USING (plan)
          WHERE tenant_id >= %(after_tenant)s AND (%(tenant_id)s = '' OR tenant_id = %(tenant_id)s)
          ORDER BY tenant_id) AS limited
    CROSS JOIN LATERAL (
        SELECT end_user_id, stored_count FROM end_user
        WHERE end_user.tenant_id = limited.tenant_id
          AND end_user_id > CASE WHEN limited.tenant_id = %(after_tenant)s THEN %(after_user)s ELSE '' END
        ORDER BY end_user_id LIMIT %(limit)s
    ) AS u
    ORDER BY limited.tenant_id, u.end_user_id LIMIT %(limit)s
)
SELECT tenant_id, end_user_id,
       ARRAY(SELECT kind FROM unnest(%(kinds)s::text[]) AS kind
             WHERE people.stored_count > people.keep AND EXISTS (
                 SELECT FROM memory
                 WHERE memory.tenant_id = people.tenant_id AND store = 'MEMORIES' AND memory.end_user_id = people.end_user_id
                   AND memory.kind = kind.kind AND status = 'COMPLETED' AND NOT pinned
                 ORDER BY occurred_at DESC, version DESC OFFSET people.keep LIMIT 1)) AS kinds
FROM people ORDER BY tenant_id, end_user_id

-- name: expired
SELECT tenant_id, store, end_user_id, source_id FROM memory
WHERE expires_at <= statement_timestamp() ORDER BY expires_at LIMIT %(limit)s

-- name: expired_of_tenant
SELECT tenant_id, store, end_user_id, source_id FROM memory
WHERE tenant_id = %(tenant_id)s AND expires_at <= statement_timestamp() ORDER BY expires_at LIMIT %(limit)s

-- name: count
-- The counter, without what has expired and waits for its deletion, unless a version that has not expired waits to replace it.
SELECT coalesce((SELECT stored_count FROM end_user WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s), 0)
     - (SELECT count(*) FROM memory dead
        WHERE tenant_id = %(tenant_id)s AND store = 'MEMORIES' AND end_user_id = %(end_user_id)s
          AND expires_at <= statement_timestamp() AND NOT replaces
          AND NOT EXISTS (
              SELECT FROM memory m
              WHERE m.tenant_id = %(tenant_id)s AND m.store = 'MEMORIES' AND m.end_user_id = %(end_user_id)s
                AND m.source_id = dead.source_id AND (m.expires_at IS NULL OR m.expires_at > statement_timestamp())
              OFFSET 0))

-- name: status
SELECT DISTINCT ON (source_id)
       source_id, status, attempts, error_reason, error_message, inferred_count, update_time
FROM memory
WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
  AND source_id = ANY (%(source_ids)s::text[]) AND (expires_at IS NULL OR expires_at > statement_timestamp())
ORDER BY source_id, version DESC

-- name: newest_version
SELECT coalesce(max(version), 0) FROM memory
WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s

-- name: unfinished
SELECT version, source_id, kind, status, attempts, error_reason, error_message, inferred_count, update_time FROM memory
WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s AND status <> 'COMPLETED'
ORDER BY version LIMIT %(limit)s

-- name: progress
WITH newer AS (
    SELECT version, source_id, kind, status, attempts, error_reason, error_message, inferred_count, update_time FROM memory
    WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s AND version > %(after)s
    ORDER BY version LIMIT %(limit)s
)
SELECT version, source_id, kind, status, attempts, error_reason, error_message, inferred_count, update_time FROM memory
WHERE tenant_id = %(tenant_id)s AND store = %(store)s AND end_user_id = %(end_user_id)s
  AND version = ANY (%(versions)s::bigint[])
UNION ALL SELECT * FROM newer ORDER BY version
