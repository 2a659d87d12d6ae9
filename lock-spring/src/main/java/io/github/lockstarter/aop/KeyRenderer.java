package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * What a value contributes to a lock's key: text that is the same in every JVM for the same value. Anything else would
 * be a lock that excludes no other caller.
 */
final class KeyRenderer {

    private KeyRenderer() {}

    /**
     * The text.
     *
     * @throws IllegalArgumentException as {@link #checked}, and when the text is blank
     */
    static String of(@Nullable Object value) {
        Object checked = checked(value);
        String text = checked instanceof Enum<?> constant ? constant.name() : checked.toString();
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("is blank");
        }
        return text;
    }

    /**
     * Refuses what has no text of its own.
     *
     * @throws IllegalArgumentException when the value is null, an array, a collection, a map, an optional, a date whose
     *     text depends on the time zone of the JVM, of a type without a {@code toString} of its own, or a record that
     *     shows one of these; the message continues a sentence about the value
     */
    static Object checked(@Nullable Object value) {
        if (value == null) {
            throw new IllegalArgumentException("is null");
        }
        if (value instanceof String || value instanceof Long || value instanceof Integer || value instanceof UUID) {
            return value; // as most keys are
        }
        checkText(value, String.valueOf(value), "is a " + value.getClass().getTypeName());
        return value;
    }

    private static void checkText(Object value, String text, String found) {
        if (value instanceof Date || value instanceof Calendar) {
            throw new IllegalArgumentException(found
                    + ", whose text depends on the time zone of the JVM; use its toInstant() or a type of java.time");
        }
        if (!hasText(value, text)) {
            throw new IllegalArgumentException(
                    found + ", which has no text that identifies it; use one of its properties");
        }
        if (value instanceof Record) {
            for (RecordComponent component : value.getClass().getRecordComponents()) {
                checkComponent(component.getAccessor(), value, text, found);
            }
        }
    }

    /** Not that of {@link Object#toString()}, which arrays have, too. The hash code is asked for in the last place. */
    private static boolean hasText(Object value, String text) {
        String inherited = value.getClass().getName() + '@';
        return !(value instanceof Collection || value instanceof Map || value instanceof Optional)
                && !(text.startsWith(inherited) && text.equals(inherited + Integer.toHexString(value.hashCode())));
    }

    /** A record with a {@code toString} of its own may show less than its components. */
    private static void checkComponent(Method accessor, Object value, String text, String found) {
        ReflectionUtils.makeAccessible(accessor);
        Object component = ReflectionUtils.invokeMethod(accessor, value);
        String shown = String.valueOf(component);
        if (component != null && text.contains(shown)) {
            String type = component.getClass().getTypeName();
            checkText(component, shown, found + " whose '" + accessor.getName() + "' is a " + type);
        }
    }
}
