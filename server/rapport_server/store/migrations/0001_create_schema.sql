-- The whole schema. Every key leads with tenant_id, so that a distributed Postgres can spread the tables by it. The
-- program may read and write as rapport_app; only the owner may change the schema.

CREATE TABLE installation (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    secrets_fingerprint text,
    model_name text,
    model_fingerprint text,
    dimension integer,
    create_time timestamptz NOT NULL DEFAULT now()
);
INSERT INTO installation DEFAULT VALUES;

CREATE TABLE tenant (
    tenant_id text PRIMARY KEY,
    plan text NOT NULL,
    metadata_schema jsonb NOT NULL,
    default_end_user_id text NOT NULL,
    initial_trust double precision NOT NULL CHECK (initial_trust BETWEEN 0 AND 1),
    infer_default boolean NOT NULL,
    allow_llm boolean NOT NULL,
    closing boolean NOT NULL DEFAULT false,
    create_time timestamptz NOT NULL DEFAULT now(),
    update_time timestamptz NOT NULL DEFAULT now()
);

-- Operator keys have tenant_id ''.
CREATE TABLE api_key (
    tenant_id text NOT NULL,
    key_id text NOT NULL,
    role text NOT NULL,
    secret_hash bytea NOT NULL,
    create_time timestamptz NOT NULL DEFAULT now(),
    expire_time timestamptz,
    revoke_time timestamptz,
    PRIMARY KEY (tenant_id, key_id)
);
CREATE INDEX api_key_by_id ON api_key (key_id);

-- Outlives the person: work that began before an erase reads another epoch at its commit. Holds no id, only a keyed hash.
CREATE TABLE person_epoch (
    tenant_id text NOT NULL,
    subject_hash bytea NOT NULL,
    epoch bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, subject_hash)
);

-- Numbers are never used twice; person_no stands for the person in shards and change rows.
CREATE SEQUENCE person_no AS bigint;
CREATE SEQUENCE memory_version AS bigint;
CREATE SEQUENCE chunk_id AS bigint;
CREATE SEQUENCE message_id AS bigint;
CREATE SEQUENCE point_id AS bigint;

CREATE TABLE end_user (
    tenant_id text NOT NULL,
    end_user_id text NOT NULL,
    person_no bigint NOT NULL DEFAULT nextval('person_no'),
    shard_id integer NOT NULL,
    user_name text NOT NULL DEFAULT '',
    time_zone text NOT NULL DEFAULT '',
    trust double precision NOT NULL CHECK (trust BETWEEN 0 AND 1),
    sentiment double precision NOT NULL CHECK (sentiment BETWEEN 0 AND 1),
    grudge double precision NOT NULL CHECK (grudge BETWEEN 0 AND 1),
    familiarity double precision NOT NULL CHECK (familiarity BETWEEN 0 AND 1),
    state_time timestamptz NOT NULL,
    interaction_count integer NOT NULL DEFAULT 0,
    known_since timestamptz NOT NULL,
    last_seen timestamptz,
    assignments text[] NOT NULL DEFAULT '{}',
    create_time timestamptz NOT NULL DEFAULT now(),
    update_time timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, end_user_id)
);

CREATE TABLE message (
    tenant_id text NOT NULL,
    end_user_id text NOT NULL,
    message_id bigint NOT NULL DEFAULT nextval('message_id'),
    interaction_id uuid NOT NULL,
    role text NOT NULL,
    text text NOT NULL,
    channel text NOT NULL,
    session_id text NOT NULL,
    occurred_at timestamptz NOT NULL,
    analysis jsonb,
    create_time timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, end_user_id, message_id)
);
CREATE INDEX message_by_time ON message (tenant_id, end_user_id, occurred_at, message_id);
CREATE UNIQUE INDEX message_by_interaction ON message (tenant_id, end_user_id, interaction_id, role);

CREATE TABLE relation_point (
    tenant_id text NOT NULL,
    end_user_id text NOT NULL,
    point_id bigint NOT NULL DEFAULT nextval('point_id'),
    interaction_id uuid,
    event_kind text,
    note text NOT NULL DEFAULT '',
    mood_delta double precision NOT NULL DEFAULT 0,
    occurred_at timestamptz NOT NULL,
    trust double precision NOT NULL,
    sentiment double precision NOT NULL,
    grudge double precision NOT NULL,
    familiarity double precision NOT NULL,
    state_time timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, end_user_id, point_id)
);
CREATE INDEX relation_point_by_interaction ON relation_point (tenant_id, end_user_id, interaction_id);

-- A source_id has at most two versions: one COMPLETED, which is served, and one that waits to take its place or failed to.
CREATE TABLE memory (
    tenant_id text NOT NULL,
    store text NOT NULL,
    end_user_id text NOT NULL,
    source_id text NOT NULL,
    version bigint NOT NULL DEFAULT nextval('memory_version'),
    kind text NOT NULL,
    status text NOT NULL,
    replaces boolean NOT NULL DEFAULT false,
    person_no bigint NOT NULL,
    shard_id integer NOT NULL,
    text text NOT NULL,
    pairs jsonb NOT NULL DEFAULT '[]',
    title text NOT NULL DEFAULT '',
    user_name text NOT NULL DEFAULT '',
    speaker text NOT NULL DEFAULT '',
    channel text NOT NULL DEFAULT '',
    session_id text NOT NULL DEFAULT '',
    time_zone text NOT NULL DEFAULT '',
    metadata jsonb NOT NULL DEFAULT '{}',
    additional_metadata jsonb NOT NULL DEFAULT '{}',
    intent text NOT NULL DEFAULT '',
    detected_emotions jsonb NOT NULL DEFAULT '[]',
    pinned boolean NOT NULL DEFAULT false,
    infer boolean NOT NULL DEFAULT false,
    interaction_id uuid,
    occurred_at timestamptz NOT NULL,
    expires_at timestamptz,
    create_time timestamptz NOT NULL DEFAULT now(),
    update_time timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 0,
    lease_token uuid,
    lease_until timestamptz,
    error_reason text NOT NULL DEFAULT '',
    error_message text NOT NULL DEFAULT '',
    inferred_count integer NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, store, end_user_id, source_id, version)
);
CREATE INDEX memory_by_version ON memory (tenant_id, store, end_user_id, version);
CREATE INDEX memory_by_interaction ON memory (tenant_id, store, end_user_id, interaction_id)
    WHERE interaction_id IS NOT NULL;
CREATE INDEX memory_queue ON memory (tenant_id, version) WHERE status IN ('QUEUED', 'PROCESSING');
CREATE INDEX memory_unfinished ON memory (tenant_id, version) WHERE status <> 'COMPLETED';
CREATE INDEX memory_expiry ON memory (expires_at) WHERE expires_at IS NOT NULL;
-- Retention looks for the n-th newest of a kind after every interaction.
CREATE INDEX memory_retention ON memory (tenant_id, store, end_user_id, kind, version)
    WHERE status = 'COMPLETED' AND NOT pinned;

-- text is NULL where the chunk is its memory's whole text. vector: float16, dimension × 2 bytes.
CREATE TABLE chunk (
    tenant_id text NOT NULL,
    chunk_id bigint NOT NULL DEFAULT nextval('chunk_id'),
    store text NOT NULL,
    end_user_id text NOT NULL,
    source_id text NOT NULL,
    version bigint NOT NULL,
    person_no bigint NOT NULL,
    shard_id integer NOT NULL,
    chunk_index integer NOT NULL,
    text text,
    vector bytea NOT NULL,
    PRIMARY KEY (tenant_id, chunk_id)
);
ALTER TABLE chunk ALTER COLUMN vector SET STORAGE PLAIN;
CREATE INDEX chunk_by_memory ON chunk (tenant_id, store, end_user_id, source_id, version);
CREATE INDEX chunk_by_shard ON chunk (tenant_id, shard_id, chunk_id);

-- Number order is commit order: the head's row lock is held from taking the number to the commit.
CREATE TABLE shard_head (
    tenant_id text NOT NULL,
    shard_id integer NOT NULL,
    seq bigint NOT NULL DEFAULT 0,
    token uuid NOT NULL DEFAULT gen_random_uuid(),
    vectors bigint NOT NULL DEFAULT 0,
    persons bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, shard_id)
) WITH (fillfactor = 50);

CREATE TABLE shard_change (
    tenant_id text NOT NULL,
    shard_id integer NOT NULL,
    seq bigint NOT NULL,
    token uuid NOT NULL,
    added bigint[] NOT NULL,
    removed bigint[] NOT NULL,
    dropped bigint[] NOT NULL,
    PRIMARY KEY (tenant_id, shard_id, seq)
);

-- request_hash is keyed and covers tenant, credential, RPC and request_id. A row with erased = true holds nothing else.
CREATE TABLE request_record (
    tenant_id text NOT NULL,
    request_hash bytea NOT NULL,
    body_hash bytea,
    subject_hash bytea,
    epoch bigint,
    result jsonb,
    erased boolean NOT NULL DEFAULT false,
    create_time timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, request_hash)
);
CREATE INDEX request_record_by_subject ON request_record (tenant_id, subject_hash) WHERE subject_hash IS NOT NULL;
CREATE INDEX request_record_by_age ON request_record (create_time);

CREATE TABLE audit_head (
    tenant_id text PRIMARY KEY,
    sequence bigint NOT NULL DEFAULT 0,
    hash bytea NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE audit_event (
    tenant_id text NOT NULL,
    sequence bigint NOT NULL,
    time timestamptz NOT NULL,
    kind text NOT NULL,
    actor_key_id text NOT NULL,
    subject_hash bytea NOT NULL,
    details json NOT NULL,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (tenant_id, sequence)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit rows are append-only';
END $$;
CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE ON audit_event
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_event_no_truncate BEFORE TRUNCATE ON audit_event
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE erasure (
    tenant_id text NOT NULL,
    receipt_id uuid NOT NULL,
    subject_hash bytea NOT NULL,
    person_no bigint NOT NULL,
    shard_id integer NOT NULL,
    counts jsonb NOT NULL,
    verified boolean NOT NULL DEFAULT false,
    erased_at timestamptz NOT NULL,
    audit_sequence bigint NOT NULL,
    audit_hash bytea NOT NULL,
    reason text NOT NULL,
    ticket text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, receipt_id)
);

-- One process per data directory; it stays known while it may hold shard files.
CREATE TABLE server_process (
    process_id text PRIMARY KEY,
    start_time timestamptz NOT NULL DEFAULT now(),
    heartbeat timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE erasure_replica (
    tenant_id text NOT NULL,
    receipt_id uuid NOT NULL,
    process_id text NOT NULL,
    PRIMARY KEY (tenant_id, receipt_id, process_id)
);
CREATE INDEX erasure_replica_by_process ON erasure_replica (process_id);

GRANT USAGE ON SCHEMA rapport TO rapport_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA rapport TO rapport_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA rapport TO rapport_app;
REVOKE UPDATE, DELETE, TRUNCATE ON audit_event FROM rapport_app;
REVOKE DELETE, TRUNCATE ON audit_head FROM rapport_app;
REVOKE INSERT, UPDATE, DELETE ON schema_migration FROM rapport_app;
