-- name: page
SELECT trigger_id, description, due_at, origin, source_id, done FROM person_trigger
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND NOT deleted
  AND (due_at, trigger_id) > (%(after_time)s::timestamptz, %(after_id)s)
ORDER BY due_at, trigger_id LIMIT %(size)s

-- name: get
SELECT trigger_id, description, due_at, origin, source_id, done FROM person_trigger
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND trigger_id = %(trigger_id)s AND NOT deleted

-- name: due
SELECT trigger_id, description, due_at, origin, source_id, done FROM (
    SELECT trigger_id, description, due_at, origin, source_id, done FROM person_trigger
    WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND NOT done AND due_at <= %(at)s
    ORDER BY due_at DESC, trigger_id DESC LIMIT %(limit)s) AS latest
ORDER BY due_at, trigger_id

-- name: upsert
INSERT INTO person_trigger (tenant_id, end_user_id, trigger_id, description, due_at, origin, source_id, done, by_hand)
SELECT %(tenant_id)s, %(end_user_id)s, %(trigger_id)s, %(description)s, %(due_at)s, %(origin)s, %(source_id)s, %(done)s, true
WHERE %(most)s > (
    SELECT count(*) FROM person_trigger
    WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND NOT deleted AND trigger_id <> %(trigger_id)s)
ON CONFLICT (tenant_id, end_user_id, trigger_id) DO UPDATE
SET description = excluded.description, due_at = excluded.due_at, origin = excluded.origin, source_id = excluded.source_id,
    done = excluded.done, by_hand = true, deleted = false, update_time = clock_timestamp()

-- name: insert_found
INSERT INTO person_trigger (tenant_id, end_user_id, trigger_id, description, due_at, origin, source_id, done, by_hand)
SELECT %(tenant_id)s, %(end_user_id)s, id, description, due_at, origin, source_id, false, false
FROM unnest(%(ids)s::text[], %(descriptions)s::text[], %(times)s::timestamptz[], %(origins)s::text[], %(sources)s::text[])
    WITH ORDINALITY AS found (id, description, due_at, origin, source_id, number)
WHERE NOT EXISTS (
    SELECT FROM person_trigger
    WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND trigger_id = found.id)
ORDER BY number
LIMIT greatest(0, %(most)s - (
    SELECT count(*) FROM person_trigger
    WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND NOT deleted))
ON CONFLICT (tenant_id, end_user_id, trigger_id) DO NOTHING

-- name: count
SELECT count(*) FROM person_trigger
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND NOT deleted

-- name: oldest_done
SELECT trigger_id FROM person_trigger
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND NOT deleted AND done
ORDER BY due_at, trigger_id LIMIT %(limit)s

-- name: delete
WITH gone AS (
    DELETE FROM person_trigger
    WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND trigger_id = ANY (%(ids)s::text[])
      AND NOT deleted AND source_id = ''
    RETURNING trigger_id
), blanked AS (
    UPDATE person_trigger
    SET description = '', due_at = 'epoch', done = true, by_hand = true, deleted = true, update_time = clock_timestamp()
    WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND trigger_id = ANY (%(ids)s::text[])
      AND NOT deleted AND source_id <> ''
    RETURNING trigger_id
)
SELECT (SELECT count(*) FROM gone) + (SELECT count(*) FROM blanked)
