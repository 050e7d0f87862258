-- Tell the planner what is known by design: how many rows share a value. Without statistics it takes every condition for
-- equally selective and may, for each memory of a person, read all the others; Postgres first looks by itself after a minute,
-- and a sample of few rows or of few tenants misleads it again. Negative numbers are fractions of the rows.

ALTER TABLE tenant ALTER tenant_id SET (n_distinct = -1);
ALTER TABLE api_key ALTER tenant_id SET (n_distinct = 2), ALTER key_id SET (n_distinct = -1);
ALTER TABLE person_epoch ALTER tenant_id SET (n_distinct = 2), ALTER subject_hash SET (n_distinct = -1);
ALTER TABLE end_user
    ALTER tenant_id SET (n_distinct = 2), ALTER end_user_id SET (n_distinct = -1), ALTER shard_id SET (n_distinct = 100);
ALTER TABLE message
    ALTER tenant_id SET (n_distinct = 2), ALTER end_user_id SET (n_distinct = -0.005),
    ALTER message_id SET (n_distinct = -1), ALTER interaction_id SET (n_distinct = -0.5), ALTER role SET (n_distinct = 2);
ALTER TABLE relation_point
    ALTER tenant_id SET (n_distinct = 2), ALTER end_user_id SET (n_distinct = -0.005),
    ALTER point_id SET (n_distinct = -1), ALTER interaction_id SET (n_distinct = -0.9);
ALTER TABLE memory
    ALTER tenant_id SET (n_distinct = 2), ALTER store SET (n_distinct = 1), ALTER end_user_id SET (n_distinct = -0.002),
    ALTER source_id SET (n_distinct = -0.9), ALTER version SET (n_distinct = -1), ALTER kind SET (n_distinct = 3),
    ALTER status SET (n_distinct = 4), ALTER interaction_id SET (n_distinct = -0.9);
ALTER TABLE chunk
    ALTER tenant_id SET (n_distinct = 2), ALTER store SET (n_distinct = 1), ALTER end_user_id SET (n_distinct = -0.002),
    ALTER source_id SET (n_distinct = -0.5), ALTER version SET (n_distinct = -0.5), ALTER chunk_id SET (n_distinct = -1),
    ALTER shard_id SET (n_distinct = 100);
ALTER TABLE shard_head ALTER tenant_id SET (n_distinct = 2), ALTER shard_id SET (n_distinct = 100);
ALTER TABLE shard_change
    ALTER tenant_id SET (n_distinct = 2), ALTER shard_id SET (n_distinct = 100), ALTER seq SET (n_distinct = -0.5);
ALTER TABLE request_record
    ALTER tenant_id SET (n_distinct = 2), ALTER request_hash SET (n_distinct = -1),
    ALTER subject_hash SET (n_distinct = -0.1);

-- The numbers take effect when a table with at least one row is analyzed, and stay when it is empty again.
INSERT INTO tenant VALUES ('', '', '[]', '', 0, false, false);
INSERT INTO api_key VALUES ('', '', '', '');
INSERT INTO person_epoch VALUES ('', '');
INSERT INTO end_user (tenant_id, end_user_id, person_no, shard_id, trust, sentiment, grudge, familiarity, state_time, known_since)
VALUES ('', '', 0, 0, 0, 0, 0, 0, now(), now());
INSERT INTO message (tenant_id, end_user_id, message_id, interaction_id, role, text, channel, session_id, occurred_at)
VALUES ('', '', 0, gen_random_uuid(), '', repeat('x', 200), '', '', now());
INSERT INTO relation_point (tenant_id, end_user_id, point_id, interaction_id, occurred_at, trust, sentiment, grudge,
                            familiarity, state_time)
VALUES ('', '', 0, gen_random_uuid(), now(), 0, 0, 0, 0, now());
INSERT INTO memory (tenant_id, store, end_user_id, source_id, version, kind, status, person_no, shard_id, text,
                    interaction_id, occurred_at)
VALUES ('', '', '', '', 0, '', '', 0, 0, repeat('x', 200), gen_random_uuid(), now());
INSERT INTO chunk (tenant_id, chunk_id, store, end_user_id, source_id, version, person_no, shard_id, chunk_index, vector)
VALUES ('', 0, '', '', '', 0, 0, 0, 0, decode(repeat('00', 768), 'hex'));
INSERT INTO shard_head (tenant_id, shard_id) VALUES ('', 0);
INSERT INTO shard_change VALUES ('', 0, 0, gen_random_uuid(), '{}', '{}', '{}');
INSERT INTO request_record (tenant_id, request_hash, subject_hash) VALUES ('', '', '');
ANALYZE tenant, api_key, person_epoch, end_user, message, relation_point, memory, chunk, shard_head, shard_change,
        request_record;
TRUNCATE tenant, api_key, person_epoch, end_user, message, relation_point, memory, chunk, shard_head, shard_change,
         request_record;
