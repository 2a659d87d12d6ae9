package io.github.lockstarter.autoconfigure.jdbc;

import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;

/**
 * Locks in a database.
 *
 * @param properties its configuration
 */
record JdbcOption(JdbcLockProperties properties) implements LockBackendOption {

    static final String NAME = "jdbc";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void checkConfiguration(LockSettings locks) {
        properties.settings(locks);
    }
}
