-- How many memories each person has, kept by the database whatever statement writes: counting them takes the longer the more there
-- are, and every Process tells the number. A version that waits to replace another is not counted, so that each source_id counts
-- once; expired ones are in until they are deleted, and whoever reads subtracts them. Every statement that changes the count holds
-- the person's lock, so that the rows are updated in no order that could deadlock.

ALTER TABLE end_user ADD COLUMN stored_count integer NOT NULL DEFAULT 0;
ALTER TABLE end_user ALTER stored_count SET STATISTICS 0;

UPDATE end_user SET stored_count = counted.memories
FROM (SELECT tenant_id, end_user_id, count(*) AS memories FROM memory
      WHERE store = 'MEMORIES' AND NOT replaces GROUP BY tenant_id, end_user_id) AS counted
WHERE end_user.tenant_id = counted.tenant_id AND end_user.end_user_id = counted.end_user_id;

CREATE FUNCTION count_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE rapport.end_user
    SET stored_count = stored_count + CASE TG_OP WHEN 'INSERT' THEN counted.memories ELSE -counted.memories END
    FROM (SELECT tenant_id, end_user_id, count(*) AS memories FROM changed
          WHERE store = 'MEMORIES' AND NOT replaces GROUP BY tenant_id, end_user_id) AS counted
    WHERE end_user.tenant_id = counted.tenant_id AND end_user.end_user_id = counted.end_user_id;
    RETURN NULL;
END $$;
CREATE TRIGGER memory_counts_inserted AFTER INSERT ON memory REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_stored();
CREATE TRIGGER memory_counts_deleted AFTER DELETE ON memory REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_stored();

-- A waiting version takes the place of another.
CREATE FUNCTION count_replacement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE rapport.end_user SET stored_count = stored_count + CASE WHEN NEW.replaces THEN -1 ELSE 1 END
    WHERE tenant_id = NEW.tenant_id AND end_user_id = NEW.end_user_id;
    RETURN NULL;
END $$;
CREATE TRIGGER memory_counts_replaced AFTER UPDATE OF replaces ON memory
    FOR EACH ROW WHEN (OLD.store = 'MEMORIES' AND OLD.replaces <> NEW.replaces) EXECUTE FUNCTION count_replacement();

-- What of a person has expired and is not yet deleted.
CREATE INDEX memory_expired ON memory (tenant_id, store, end_user_id, expires_at) WHERE expires_at IS NOT NULL;

-- The newest are those that happened last: what is told later about earlier times pushes nothing newer out.
DROP INDEX memory_retention;
CREATE INDEX memory_retention ON memory (tenant_id, store, end_user_id, kind, occurred_at, version)
    WHERE status = 'COMPLETED' AND NOT pinned;
