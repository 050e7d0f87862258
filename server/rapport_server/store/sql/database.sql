-- name: configure
-- Every statement has its index, and plans must not depend on when they were made: one from an empty table that reads it
-- whole, or one for a sample that knows nothing of a tenant that began later, would stay for as long as the connection. So
-- plans are generic, go by the distributions that the schema describes, and read by index alone. Compiling plans of such
-- short statements never pays. Times in stored metadata without a zone are UTC.
SELECT set_config('statement_timeout', %(statement)s, false),
       set_config('idle_in_transaction_session_timeout', %(idle)s, false),
       set_config('plan_cache_mode', 'force_generic_plan', false),
       set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false),
       set_config('jit', 'off', false), set_config('timezone', 'UTC', false)

-- name: listen
LISTEN rapport

-- name: announce
-- Nothing here must survive a crash: the commit waits for no disk.
SELECT set_config('synchronous_commit', 'off', true), pg_notify('rapport', notice) FROM unnest(%s::text[]) AS notice

-- name: vacuum
VACUUM end_user, message, relation_point, person_relation, person_trigger, memory, chunk, request_record, shard_change
