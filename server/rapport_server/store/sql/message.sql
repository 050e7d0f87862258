-- name: insert
INSERT INTO message (tenant_id, end_user_id, interaction_id, role, text, channel, session_id, occurred_at, analysis)
VALUES (%(tenant_id)s, %(end_user_id)s, %(interaction_id)s, %(role)s, %(text)s, %(channel)s, %(session_id)s,
        %(occurred_at)s, %(analysis)s)

-- name: of_interaction
SELECT message_id, interaction_id, role, text, channel, session_id, occurred_at, analysis FROM message
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND interaction_id = %(interaction_id)s
ORDER BY message_id

-- name: newest
SELECT message_id, interaction_id, role, text, channel, session_id, occurred_at, analysis FROM message
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s
  AND (occurred_at, message_id) < (%(after_time)s::timestamptz, %(after_id)s::bigint)
  AND occurred_at >= coalesce(%(start)s::timestamptz, '-infinity') AND occurred_at < coalesce(%(end)s::timestamptz, 'infinity')
  AND (%(channel)s = '' OR channel = %(channel)s) AND (%(session_id)s = '' OR session_id = %(session_id)s)
ORDER BY occurred_at DESC, message_id DESC LIMIT %(size)s

-- name: oldest
SELECT message_id, interaction_id, role, text, channel, session_id, occurred_at, analysis FROM message
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s
  AND (occurred_at, message_id) > (%(after_time)s::timestamptz, %(after_id)s::bigint)
  AND occurred_at >= coalesce(%(start)s::timestamptz, '-infinity') AND occurred_at < coalesce(%(end)s::timestamptz, 'infinity')
  AND (%(channel)s = '' OR channel = %(channel)s) AND (%(session_id)s = '' OR session_id = %(session_id)s)
ORDER BY occurred_at, message_id LIMIT %(size)s

-- name: insert_point
INSERT INTO relation_point (tenant_id, end_user_id, interaction_id, event_kind, note, mood_delta, occurred_at, trust,
                            sentiment, grudge, familiarity, state_time)
VALUES (%(tenant_id)s, %(end_user_id)s, %(interaction_id)s, %(event_kind)s, %(note)s, %(mood_delta)s, %(occurred_at)s,
        %(trust)s, %(sentiment)s, %(grudge)s, %(familiarity)s, %(state_time)s)

-- name: point_of_interaction
-- The events of an interaction have points of their own, which name their kind.
SELECT point_id, interaction_id, event_kind, note, mood_delta, occurred_at, trust, sentiment, grudge, familiarity,
       state_time
FROM relation_point
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND interaction_id = %(interaction_id)s
  AND event_kind IS NULL
ORDER BY point_id DESC LIMIT 1

-- name: newest_points
SELECT point_id, interaction_id, event_kind, note, mood_delta, occurred_at, trust, sentiment, grudge, familiarity,
       state_time
FROM relation_point
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND point_id < %(after_id)s
  AND occurred_at >= coalesce(%(start)s::timestamptz, '-infinity') AND occurred_at < coalesce(%(end)s::timestamptz, 'infinity')
ORDER BY point_id DESC LIMIT %(size)s

-- name: oldest_points
SELECT point_id, interaction_id, event_kind, note, mood_delta, occurred_at, trust, sentiment, grudge, familiarity,
       state_time
FROM relation_point
WHERE tenant_id = %(tenant_id)s AND end_user_id = %(end_user_id)s AND point_id > %(after_id)s
  AND occurred_at >= coalesce(%(start)s::timestamptz, '-infinity') AND occurred_at < coalesce(%(end)s::timestamptz, 'infinity')
ORDER BY point_id LIMIT %(size)s
