-- Locks of io.github.lockstarter in PostgreSQL: one row for each held key, or slot of one, and the numbers of their fencing tokens.
-- Rename the table and, with it, the sequence <table>_fencing for another distributed-lock.jdbc.table.
-- Rights: SELECT, INSERT, UPDATE, DELETE on the table, USAGE on the sequence.

CREATE TABLE IF NOT EXISTS distributed_lock (
    lock_key      VARCHAR(255) COLLATE "C" NOT NULL PRIMARY KEY,
    owner         VARCHAR(160), -- NULL while the lock is kept for the rest of its minimum hold
    fencing_token BIGINT                   NOT NULL, -- the last of the grant; 0 until it is numbered
    granted_at    TIMESTAMP WITH TIME ZONE NOT NULL,
    lock_until    TIMESTAMP WITH TIME ZONE NOT NULL
);

CREATE SEQUENCE IF NOT EXISTS distributed_lock_fencing CACHE 1;
