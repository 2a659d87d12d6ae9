package io.github.lockstarter.redis.connection;

import java.util.concurrent.CancellationException;

/** Whether the connections accept commands. */
enum ConnectionState {
    /** They do, and connect if need be. */
    OPEN,
    /** Not until the next start. */
    STOPPED,
    /** Never again. */
    CLOSED;

    /** What a command is told that does not. */
    CancellationException refusal() {
        return new CancellationException(this == STOPPED ? "the lock client is stopped" : "the lock client is closed");
    }
}
