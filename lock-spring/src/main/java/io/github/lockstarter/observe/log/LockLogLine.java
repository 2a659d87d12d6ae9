package io.github.lockstarter.observe.log;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.observe.LockMdc;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

/**
 * One line of the log, with key, name and fencing token of the lock it is about. They are key-value pairs of the line;
 * where the context of the log has one of the names already, which is of the lock that this thread is in, they take its
 * place while the line is written: structured logging writes both, and refuses to write one name twice.
 */
final class LockLogLine {

    private LoggingEventBuilder line;
    private final String key;
    private final Map<String, @Nullable String> context = new HashMap<>();

    private LockLogLine(LoggingEventBuilder line, String key) {
        this.line = line;
        this.key = key;
    }

    /** About a lock of which no hold is known. */
    static LockLogLine about(LoggingEventBuilder line, LockEvent event) {
        return new LockLogLine(line, event.key())
                .with(LockMdc.KEY, LockRequest.printable(event.key()))
                .with(LockMdc.NAME, event.name())
                .without(LockMdc.FENCING_TOKEN);
    }

    /** About a hold. */
    static LockLogLine about(LoggingEventBuilder line, LockEvent event, long fencingToken) {
        return about(line, event.key(), event.name(), fencingToken);
    }

    /** About a hold. */
    static LockLogLine about(LoggingEventBuilder line, String key, String name, long fencingToken) {
        return new LockLogLine(line, key)
                .with(LockMdc.KEY, LockRequest.printable(key))
                .with(LockMdc.NAME, name)
                .with(LockMdc.FENCING_TOKEN, fencingToken);
    }

    private LockLogLine with(String field, Object value) {
        if (isOff()) {
            return this;
        }
        if (MDC.get(field) == null) {
            line = line.addKeyValue(field, value);
        } else {
            context.put(field, value.toString());
        }
        return this;
    }

    private LockLogLine without(String field) {
        if (!isOff() && MDC.get(field) != null) {
            context.put(field, null);
        }
        return this;
    }

    /** Whether the level is off, so that nothing is to be looked up for it. */
    private boolean isOff() {
        return line == NOPLoggingEventBuilder.singleton();
    }

    /** Writes it. */
    void log(String message, @Nullable Object... arguments) {
        if (isOff()) {
            return;
        }
        for (int i = 0; i < arguments.length; i++) {
            if (key.equals(arguments[i])) {
                arguments[i] = LockRequest.printable(key);
            }
        }
        exchange();
        try {
            line.log(message, arguments);
        } finally {
            exchange();
        }
    }

    /** Swaps the context of the log with what is kept here. */
    private void exchange() {
        context.replaceAll((field, value) -> {
            @Nullable String before = MDC.get(field);
            if (value == null) {
                MDC.remove(field);
            } else {
                MDC.put(field, value);
            }
            return before;
        });
    }
}
