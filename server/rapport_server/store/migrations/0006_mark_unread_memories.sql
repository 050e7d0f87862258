-- Whether a memory waits to be read for other people and for things to come back to. What was stored before counts as read.

ALTER TABLE memory ADD COLUMN unread boolean NOT NULL DEFAULT false;
ALTER TABLE memory ALTER unread SET (n_distinct = 2);
-- Nearly always empty. A version that waits for its vectors is read when it is served.
CREATE INDEX memory_unread ON memory (tenant_id, version) WHERE unread AND status = 'COMPLETED';

-- Which process reads a tenant's memories, and until when nobody else does. Holds nothing of a person.
CREATE TABLE reading_turn (
    tenant_id text PRIMARY KEY,
    token uuid NOT NULL,
    until timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON reading_turn TO rapport_app;
