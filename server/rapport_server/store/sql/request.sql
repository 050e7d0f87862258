-- name: insert
INSERT INTO request_record (tenant_id, request_hash, body_hash, subject_hash)
VALUES (%(tenant)s, %(request)s, %(body)s, nullif(%(subject)s::bytea, ''))
ON CONFLICT DO NOTHING
RETURNING true

-- name: get
SELECT coalesce(body_hash, ''), coalesce(result, '{}'), erased FROM request_record
 WHERE tenant_id = %(tenant)s AND request_hash = %(request)s

-- name: finish
UPDATE request_record SET result = %(result)s WHERE tenant_id = %(tenant)s AND request_hash = %(request)s

-- name: reduce
UPDATE request_record r
   SET body_hash = NULL, subject_hash = NULL, result = NULL, erased = true,
       epoch = (SELECT e.epoch FROM person_epoch e
                 WHERE e.tenant_id = %(tenant)s AND e.subject_hash = %(subject)s)
 WHERE r.tenant_id = %(tenant)s AND r.subject_hash = %(subject)s

-- name: expire
DELETE FROM request_record WHERE (tenant_id, request_hash) IN (
    SELECT tenant_id, request_hash FROM request_record
     WHERE create_time < now() - make_interval(hours => %(hours)s)
     LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
