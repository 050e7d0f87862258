-- name: arrival
SELECT coalesce((SELECT epoch FROM person_epoch WHERE tenant_id = %(tenant_id)s AND subject_hash = %(subject_hash)s), 0)
           AS epoch,
       clock_timestamp() AS now

-- name: lock
-- The clock is read above the materialized row, hence after the lock was obtained.
WITH locked AS MATERIALIZED (
    SELECT epoch FROM person_epoch
    WHERE tenant_id = %(tenant_id)s AND subject_hash = %(subject_hash)s
    FOR NO KEY UPDATE
)
SELECT epoch, clock_timestamp() AS now FROM locked

-- name: insert_epoch
INSERT INTO person_epoch (tenant_id, subject_hash) VALUES (%(tenant_id)s, %(subject_hash)s)
ON CONFLICT (tenant_id, subject_hash) DO NOTHING

-- name: insert_epochs
INSERT INTO person_epoch (tenant_id, subject_hash)
SELECT tenant_id, subject_hash
FROM unnest(%(tenant_ids)s::text[], %(subject_hashes)s::bytea[]) AS wanted (tenant_id, subject_hash)
ORDER BY tenant_id, subject_hash
ON CONFLICT (tenant_id, subject_hash) DO NOTHING

-- name: lock_many
SELECT count(*) FROM (
    SELECT FROM person_epoch
    JOIN unnest(%(tenant_ids)s::text[], %(subject_hashes)s::bytea[]) AS wanted (tenant_id, subject_hash)
        USING (tenant_id, subject_hash)
    ORDER BY tenant_id, subject_hash
    FOR NO KEY UPDATE OF person_epoch
) AS locked

-- name: bump
INSERT INTO person_epoch (tenant_id, subject_hash, epoch) VALUES (%(tenant_id)s, %(subject_hash)s, 1)
ON CONFLICT (tenant_id, subject_hash) DO UPDATE SET epoch = person_epoch.epoch + 1
RETURNING epoch

-- name: get
SELECT tenant_id, end_user_id, person_no, shard_id, trust, sentiment, grudge, familiarity, state_time, interaction_count,
       known_since, last_seen, update_time, user_name, time_zone, assignments
FROM end_user WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s

-- name: insert
INSERT INTO end_user (tenant_id, end_user_id, shard_id, trust, sentiment, grudge, familiarity, state_time, known_since)
VALUES (%(tenant_id)s, %(end_user_id)s, %(shard_id)s, %(trust)s, %(sentiment)s, %(grudge)s, %(familiarity)s, %(at)s,
        %(at)s)
RETURNING tenant_id, end_user_id, person_no, shard_id, trust, sentiment, grudge, familiarity, state_time,
          interaction_count, known_since, last_seen, update_time, user_name, time_zone, assignments

-- name: save
-- Divides by zero when there is no such row, so that a pipeline, which knows no counts of rows, notices it as well.
WITH saved AS (
UPDATE end_user
SET trust = %(trust)s, sentiment = %(sentiment)s, grudge = %(grudge)s, familiarity = %(familiarity)s,
    state_time = %(state_time)s, interaction_count = %(interaction_count)s, known_since = %(known_since)s,
    last_seen = %(last_seen)s, user_name = %(user_name)s, time_zone = %(time_zone)s, update_time = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s
RETURNING end_user_id
)
SELECT 1 / count(*) FROM saved

-- name: assign
UPDATE end_user SET assignments = %(assignments)s WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s

-- name: placed
SELECT asked.tenant_id, asked.end_user_id, person_no, p.shard_id, seq, token
FROM unnest(%(tenant_ids)s::text[], %(end_user_ids)s::text[]) AS asked (tenant_id, end_user_id)
CROSS JOIN LATERAL (
    SELECT person_no, shard_id FROM end_user
    WHERE end_user.tenant_id = asked.tenant_id AND end_user.end_user_id = asked.end_user_id
    LIMIT 1
) AS p
JOIN shard_head ON shard_head.tenant_id = asked.tenant_id AND shard_head.shard_id = p.shard_id

-- name: page
SELECT tenant_id, end_user_id, person_no, shard_id, trust, sentiment, grudge, familiarity, state_time, interaction_count,
       known_since, last_seen, update_time, user_name, time_zone, assignments,
       stored_count - (
           SELECT count(*) FROM memory dead
           WHERE dead.tenant_id = end_user.tenant_id AND dead.store = 'MEMORIES' AND dead.end_user_id = end_user.end_user_id
             AND dead.expires_at <= statement_timestamp() AND NOT dead.replaces
             AND NOT EXISTS (
                 SELECT FROM memory m
                 WHERE m.tenant_id = dead.tenant_id AND m.store = 'MEMORIES' AND m.end_user_id = dead.end_user_id
                   AND m.source_id = dead.source_id AND (m.expires_at IS NULL OR m.expires_at > statement_timestamp())
                 OFFSET 0)) AS memories
FROM end_user
WHERE tenant_id = %(tenant_id)s AND end_user_id > %(after)s
  AND (%(assignment)s = '' OR %(assignment)s = ANY (assignments))
ORDER BY end_user_id LIMIT %(size)s

-- name: ids
SELECT end_user_id FROM end_user WHERE tenant_id = %(tenant_id)s ORDER BY end_user_id LIMIT %(limit)s

-- name: choose_shard
-- The lowest with room, else the one after the last. One statement, so that both answers are of the same moment.
SELECT coalesce(min(shard_id) FILTER (WHERE vectors < %(vectors_max)s AND persons < %(persons_max)s), max(shard_id) + 1, 0)
           AS shard_id,
       coalesce(bool_or(vectors < %(vectors_max)s AND persons < %(persons_max)s), false) AS exists
FROM shard_head WHERE tenant_id = %(tenant_id)s

-- name: add_persons
UPDATE shard_head SET persons = persons + %(persons)s WHERE tenant_id = %(tenant_id)s AND shard_id = %(shard_id)s
