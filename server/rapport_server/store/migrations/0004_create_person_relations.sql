-- Who is in a person's life, and what is to be brought up with the person. `by_hand`: a caller made or changed the row, and a
-- reader of texts leaves what was given by hand as it is.

CREATE TABLE person_relation (
    tenant_id text NOT NULL,
    end_user_id text NOT NULL,
    person_relation_id text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    sentiment double precision NOT NULL CHECK (sentiment BETWEEN 0 AND 1),
    note text NOT NULL,
    last_mentioned timestamptz,
    by_hand boolean NOT NULL,
    create_time timestamptz NOT NULL DEFAULT now(),
    update_time timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, end_user_id, person_relation_id)
);
CREATE INDEX person_relation_by_name ON person_relation (tenant_id, end_user_id, name, person_relation_id);

-- deleted: nothing is left but the ids, for as long as the memory stays, so that reading it again does not bring it back. Such a
-- row is done and by_hand.
CREATE TABLE person_trigger (
    tenant_id text NOT NULL,
    end_user_id text NOT NULL,
    trigger_id text NOT NULL,
    description text NOT NULL,
    due_at timestamptz NOT NULL,
    origin text NOT NULL,
    source_id text NOT NULL,
    done boolean NOT NULL,
    by_hand boolean NOT NULL,
    deleted boolean NOT NULL DEFAULT false,
    create_time timestamptz NOT NULL DEFAULT now(),
    update_time timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, end_user_id, trigger_id)
);
CREATE INDEX person_trigger_by_time ON person_trigger (tenant_id, end_user_id, due_at, trigger_id) WHERE NOT deleted;
-- Every interaction looks for what is due; what is done is not read for it.
CREATE INDEX person_trigger_open ON person_trigger (tenant_id, end_user_id, due_at, trigger_id) WHERE NOT done;
CREATE INDEX person_trigger_by_source ON person_trigger (tenant_id, end_user_id, source_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON person_relation, person_trigger TO rapport_app;

ALTER TABLE person_relation
    ALTER tenant_id SET (n_distinct = 2), ALTER end_user_id SET (n_distinct = -0.1),
    ALTER person_relation_id SET (n_distinct = -0.9), ALTER name SET (n_distinct = -0.1);
ALTER TABLE person_trigger
    ALTER tenant_id SET (n_distinct = 2), ALTER end_user_id SET (n_distinct = -0.05),
    ALTER trigger_id SET (n_distinct = -0.9), ALTER source_id SET (n_distinct = -0.5), ALTER due_at SET (n_distinct = -0.9);

-- One row is analyzed for the numbers to take effect; the columns of a person are never sampled after that.
INSERT INTO person_relation (tenant_id, end_user_id, person_relation_id, name, kind, sentiment, note, by_hand)
VALUES ('', '', '', '', '', 0, '', false);
INSERT INTO person_trigger (tenant_id, end_user_id, trigger_id, description, due_at, origin, source_id, done, by_hand)
VALUES ('', '', '', '', now(), '', '', false, false);
ANALYZE person_relation, person_trigger;
TRUNCATE person_relation, person_trigger;
ALTER TABLE person_relation
    ALTER end_user_id SET STATISTICS 0, ALTER person_relation_id SET STATISTICS 0, ALTER name SET STATISTICS 0,
    ALTER kind SET STATISTICS 0, ALTER sentiment SET STATISTICS 0, ALTER note SET STATISTICS 0,
    ALTER last_mentioned SET STATISTICS 0;
ALTER TABLE person_trigger
    ALTER end_user_id SET STATISTICS 0, ALTER trigger_id SET STATISTICS 0, ALTER description SET STATISTICS 0,
    ALTER due_at SET STATISTICS 0, ALTER source_id SET STATISTICS 0;
