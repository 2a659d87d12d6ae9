-- Locks of io.github.lockstarter in MariaDB, from 10.6: one row for each held key, or slot of one, and the numbers of their fencing tokens.
-- Rename the table and, with it, the sequence <table>_fencing for another distributed-lock.jdbc.table.
-- Rights: SELECT, INSERT, UPDATE, DELETE on the table, SELECT and INSERT on the sequence.
-- Times are in UTC, whatever the time zone of a session is.

CREATE TABLE IF NOT EXISTS distributed_lock (
    lock_key      VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
    owner         VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin, -- NULL while the lock is kept for the rest of its minimum hold
    fencing_token BIGINT      NOT NULL, -- the last of the grant; 0 until it is numbered
    granted_at    DATETIME(6) NOT NULL,
    lock_until    DATETIME(6) NOT NULL
) ENGINE = InnoDB;

CREATE SEQUENCE IF NOT EXISTS distributed_lock_fencing NOCACHE ENGINE = InnoDB;
