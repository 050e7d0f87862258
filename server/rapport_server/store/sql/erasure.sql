-- name: count
SELECT (SELECT count(*) FROM message WHERE tenant_id = %(tenant)s AND end_user_id = %(end_user)s) AS messages,
       m.memories, c.chunks, c.chunks AS vectors,
       (SELECT count(*) FROM person_relation WHERE tenant_id = %(tenant)s AND end_user_id = %(end_user)s)
           AS person_relations,
       (SELECT count(*) FROM end_user WHERE tenant_id = %(tenant)s AND end_user_id = %(end_user)s)
       + (SELECT count(*) FROM relation_point WHERE tenant_id = %(tenant)s AND end_user_id = %(end_user)s)
           AS relation_state,
       (SELECT count(*) FROM person_trigger
         WHERE tenant_id = %(tenant)s AND end_user_id = %(end_user)s AND NOT deleted) AS triggers,
       m.queued_items,
       (SELECT count(*) FROM request_record WHERE tenant_id = %(tenant)s AND subject_hash = %(subject)s)
           AS idempotency_records
  FROM (SELECT count(DISTINCT (store, source_id)) AS memories,
               count(*) FILTER (WHERE status IN ('QUEUED', 'PROCESSING')) AS queued_items
          FROM memory
         WHERE tenant_id = %(tenant)s AND store = ANY(%(stores)s) AND end_user_id = %(end_user)s) AS m,
       (SELECT count(*) AS chunks FROM chunk
         WHERE tenant_id = %(tenant)s AND store = ANY(%(stores)s) AND end_user_id = %(end_user)s) AS c

-- name: delete_messages
DELETE FROM message WHERE tenant_id = %(tenant)s AND end_user_id = %(end_user)s

-- name: delete_memories
WITH gone AS (
    DELETE FROM memory WHERE tenant_id = %(tenant)s AND store = ANY(%(stores)s) AND end_user_id = %(end_user)s
    RETURNING store, source_id, status
)
SELECT count(DISTINCT (store, source_id)), count(*) FILTER (WHERE status IN ('QUEUED', 'PROCESSING')) FROM gone

-- name: delete_chunks
DELETE FROM chunk WHERE tenant_id = %(tenant)s AND store = ANY(%(stores)s) AND end_user_id = %(end_user)s

-- name: delete_points
DELETE FROM relation_point WHERE tenant_id = %(tenant)s AND end_user_id = %(end_user)s

-- name: delete_person_relations
DELETE FROM person_relation WHERE tenant_id = %(tenant)s AND end_user_id = %(end_user)s

-- name: delete_triggers
-- Rows of deleted ones go too and are not counted: nothing but their ids was left.
WITH gone AS (
    DELETE FROM person_trigger WHERE tenant_id = %(tenant)s AND end_user_id = %(end_user)s
    RETURNING deleted
)
SELECT count(*) FILTER (WHERE NOT deleted) FROM gone

-- name: delete_person
DELETE FROM end_user WHERE tenant_id = %(tenant)s AND end_user_id = %(end_user)s
RETURNING tenant_id, end_user_id, person_no, shard_id, trust, sentiment, grudge, familiarity, state_time,
          interaction_count, known_since, last_seen, update_time, user_name, time_zone, assignments

-- Every table with a column that can stand for a person, so that one added later is looked at without anyone's doing.
-- name: person_tables
SELECT c.relname,
       array_agg(a.attname::text) FILTER (WHERE a.attname IN ('end_user_id', 'subject_hash', 'person_no')),
       bool_or(a.attname = 'store')
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.relnamespace = 'rapport'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
   AND a.attnum > 0 AND NOT a.attisdropped
 GROUP BY c.relname
HAVING bool_or(a.attname IN ('end_user_id', 'subject_hash', 'person_no'))
 ORDER BY c.relname

-- name: insert
INSERT INTO erasure (tenant_id, receipt_id, subject_hash, person_no, shard_id, counts, verified, erased_at,
                     audit_sequence, audit_hash, reason, ticket)
VALUES (%(tenant)s, %(receipt)s, %(subject)s, %(person_no)s, %(shard)s, %(counts)s, %(verified)s, %(erased_at)s,
        %(audit_sequence)s, %(audit_hash)s, %(reason)s, %(ticket)s)

-- name: insert_replicas
WITH pending AS (
    INSERT INTO erasure_replica (tenant_id, receipt_id, process_id)
    SELECT %(tenant)s, %(receipt)s, process_id FROM server_process
    RETURNING process_id
)
SELECT coalesce(array_agg(process_id ORDER BY process_id), '{}') FROM pending

-- name: notify
SELECT pg_notify('rapport', '{"kind": "erasure"}')

-- name: get
SELECT e.receipt_id, e.tenant_id, e.subject_hash, e.counts, e.verified,
       ARRAY(SELECT r.process_id FROM erasure_replica r
              WHERE r.tenant_id = e.tenant_id AND r.receipt_id = e.receipt_id ORDER BY r.process_id),
       e.erased_at, e.audit_sequence, e.audit_hash, e.reason, e.ticket
  FROM erasure e WHERE e.tenant_id = %(tenant)s AND e.receipt_id = %(receipt)s

-- name: set_verified
UPDATE erasure SET verified = true WHERE tenant_id = %(tenant)s AND receipt_id = %(receipt)s

-- name: pending_of
SELECT r.tenant_id, r.receipt_id, e.subject_hash, e.shard_id, e.person_no
  FROM erasure_replica r JOIN erasure e USING (tenant_id, receipt_id)
 WHERE r.process_id = %(process)s
 ORDER BY e.erased_at

-- name: lock
SELECT true FROM erasure WHERE tenant_id = %(tenant)s AND receipt_id = %(receipt)s FOR UPDATE

-- name: confirm
DELETE FROM erasure_replica WHERE tenant_id = %(tenant)s AND receipt_id = %(receipt)s AND process_id = %(process)s

-- name: any_pending
SELECT EXISTS (SELECT FROM erasure_replica WHERE tenant_id = %(tenant)s AND receipt_id = %(receipt)s)

-- name: register
INSERT INTO server_process (process_id) VALUES (%(process)s)
ON CONFLICT (process_id) DO UPDATE SET heartbeat = now()

