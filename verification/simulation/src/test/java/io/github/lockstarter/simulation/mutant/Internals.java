package io.github.lockstarter.simulation.mutant;

import io.github.lockstarter.engine.Deadline;
import io.github.lockstarter.engine.settings.EngineClock;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Objects;

/** The fields of changed objects. */
final class Internals {

    private Internals() {}

    /** Reads the clock of an object of the engine. */
    static Deadline.Moment now(Object object) {
        return Deadline.Moment.now((EngineClock) get(object, "clock"));
    }

    static Object get(Object object, String name) {
        try {
            return Objects.requireNonNull(field(object, name).get(object), name);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    static void set(Object object, String name, Object value) {
        try {
            field(object, name).set(object, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(Object object, String name) {
        try {
            Field field = object.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("Another field " + name + " is needed", e);
        }
    }

    static Deadline later(Deadline deadline, Duration by) {
        return new Deadline(deadline.nanos() + by.toNanos(), deadline.wallMillis() + by.toMillis());
    }
}
