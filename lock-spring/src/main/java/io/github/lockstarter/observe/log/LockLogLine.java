package io.github.lockstarter.observe.log;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockRequest;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Begins a line of the log about a lock: with key, name and fencing token as key-value pairs, and the key as the first
 * argument of its message. Costs nothing where the level is off.
 */
final class LockLogLine {

    private LockLogLine() {}

    /** About a lock of which no hold is known. */
    static LoggingEventBuilder about(LoggingEventBuilder line, LockEvent event) {
        return line.addKeyValue("lock.key", () -> LockRequest.printable(event.key()))
                .addKeyValue("lock.name", event.name())
                .addArgument(() -> LockRequest.printable(event.key()));
    }

    /** About a hold. */
    static LoggingEventBuilder about(LoggingEventBuilder line, LockEvent event, long fencingToken) {
        return about(line, event).addKeyValue("lock.fencingToken", fencingToken);
    }
}
