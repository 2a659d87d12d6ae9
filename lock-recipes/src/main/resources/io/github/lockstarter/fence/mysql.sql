-- Fences of io.github.lockstarter: the greatest fencing token of each lock, and the completed one-time work.

CREATE TABLE IF NOT EXISTS distributed_lock_fence (
    lock_key      VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
    fencing_token BIGINT       NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS distributed_lock_once (
    once_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
    done_at  TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) -- for a job that deletes old rows
) ENGINE = InnoDB;
