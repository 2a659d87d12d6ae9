-- Locks of io.github.lockstarter in MySQL, from 8.0: one row for each held key, or slot of one, and the numbers of their fencing tokens.
-- Rename both tables, as <table> and <table>_fencing, for another distributed-lock.jdbc.table.
-- Rights: SELECT, INSERT, UPDATE, DELETE on the first table, SELECT, INSERT, DELETE on the second.
-- Times are in UTC, whatever the time zone of a session is.

CREATE TABLE IF NOT EXISTS distributed_lock (
    lock_key      VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
    owner         VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin, -- NULL while the lock is kept for the rest of its minimum hold
    fencing_token BIGINT      NOT NULL, -- the last of the grant; 0 until it is numbered
    granted_at    DATETIME(6) NOT NULL,
    lock_until    DATETIME(6) NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS distributed_lock_fencing (
    n BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY
) ENGINE = InnoDB;
