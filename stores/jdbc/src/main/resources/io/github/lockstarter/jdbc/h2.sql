-- Locks of io.github.lockstarter in H2: one row for each held key, or slot of one, and the numbers of their fencing tokens.
-- Rename the table and, with it, the sequence <table>_fencing for another distributed-lock.jdbc.table.

CREATE TABLE IF NOT EXISTS distributed_lock (
    lock_key      VARCHAR(255)                NOT NULL PRIMARY KEY,
    owner         VARCHAR(160), -- NULL while the lock is kept for the rest of its minimum hold
    fencing_token BIGINT                      NOT NULL, -- the last of the grant; 0 until it is numbered
    granted_at    TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    lock_until    TIMESTAMP(6) WITH TIME ZONE NOT NULL
);

CREATE SEQUENCE IF NOT EXISTS distributed_lock_fencing;
