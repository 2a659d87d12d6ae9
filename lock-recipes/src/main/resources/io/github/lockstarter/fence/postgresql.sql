-- Fences of io.github.lockstarter: the greatest fencing token of each lock, and the completed one-time work.

CREATE TABLE IF NOT EXISTS distributed_lock_fence (
    lock_key      VARCHAR(255) COLLATE "C" NOT NULL PRIMARY KEY, -- whose order no new version of the system changes
    fencing_token BIGINT       NOT NULL
);

CREATE TABLE IF NOT EXISTS distributed_lock_once (
    once_key VARCHAR(255) COLLATE "C" NOT NULL PRIMARY KEY,
    done_at  TIMESTAMP    NOT NULL -- for a job that deletes old rows
);
