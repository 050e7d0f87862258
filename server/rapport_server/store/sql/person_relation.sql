-- name: page
SELECT person_relation_id, name, kind, sentiment, note, last_mentioned FROM person_relation
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s
  AND (name, person_relation_id) > (%(after_name)s, %(after_id)s)
ORDER BY name, person_relation_id LIMIT %(size)s

-- name: get
SELECT person_relation_id, name, kind, sentiment, note, last_mentioned FROM person_relation
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND person_relation_id = %(person_relation_id)s

-- name: upsert
INSERT INTO person_relation (tenant_id, end_user_id, person_relation_id, name, kind, sentiment, note, last_mentioned, by_hand)
SELECT %(tenant_id)s, %(end_user_id)s, %(person_relation_id)s, %(name)s, %(kind)s, %(sentiment)s, %(note)s,
       %(last_mentioned)s, true
WHERE %(most)s > (
    SELECT count(*) FROM person_relation
    WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND person_relation_id <> %(person_relation_id)s)
ON CONFLICT (tenant_id, end_user_id, person_relation_id) DO UPDATE
SET name = excluded.name, kind = excluded.kind, sentiment = excluded.sentiment, note = excluded.note,
    last_mentioned = excluded.last_mentioned, by_hand = true, update_time = clock_timestamp()

-- name: mention
WITH spoken AS (
    SELECT spoken.*, known.person_relation_id IS NULL AS is_new
    FROM unnest(%(ids)s::text[], %(names)s::text[], %(kinds)s::text[], %(sentiments)s::float8[], %(notes)s::text[],
                %(times)s::timestamptz[])
        WITH ORDINALITY AS spoken (id, name, kind, sentiment, note, last_mentioned, number)
    LEFT JOIN person_relation known
        ON known.tenant_id = %(tenant_id)s AND known.end_user_id = %(end_user_id)s AND known.person_relation_id = spoken.id
), numbered AS (
    SELECT *, count(*) FILTER (WHERE is_new) OVER (ORDER BY number) AS new_number FROM spoken
)
INSERT INTO person_relation (tenant_id, end_user_id, person_relation_id, name, kind, sentiment, note, last_mentioned, by_hand)
SELECT %(tenant_id)s, %(end_user_id)s, id, name, kind, sentiment, note, last_mentioned, false
FROM numbered
WHERE NOT is_new OR new_number <= %(most)s - (
    SELECT count(*) FROM person_relation WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s)
ON CONFLICT (tenant_id, end_user_id, person_relation_id) DO UPDATE
SET name = CASE WHEN person_relation.by_hand THEN person_relation.name ELSE excluded.name END,
    kind = CASE WHEN person_relation.by_hand THEN person_relation.kind ELSE excluded.kind END,
    note = CASE WHEN person_relation.by_hand THEN person_relation.note ELSE excluded.note END,
    sentiment = excluded.sentiment,
    last_mentioned = greatest(person_relation.last_mentioned, excluded.last_mentioned), update_time = clock_timestamp()

-- name: delete
DELETE FROM person_relation
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND person_relation_id = %(person_relation_id)s
