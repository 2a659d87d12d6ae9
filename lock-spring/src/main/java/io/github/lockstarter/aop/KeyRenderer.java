package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a value contributes to a lock's key: text that is the same in every JVM for the same value. Anything else would
 * be a lock that excludes no other caller.
 */
final class KeyRenderer {

    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return !type.isArray()
                    && !Collection.class.isAssignableFrom(type)
                    && !Map.class.isAssignableFrom(type)
                    && type != Optional.class
                    && toStringOf(type).getDeclaringClass() != Object.class;
        }
    };

    private KeyRenderer() {}

    /**
     * Refuses what has no text of its own.
     *
     * @throws IllegalArgumentException when the value is null, an array, a collection, a map, an optional, or of a type
     *     without a {@code toString} of its own; the message continues a sentence about the value
     */
    static Object checked(@Nullable Object value) {
        if (value == null) {
            throw new IllegalArgumentException("is null");
        }
        if (!HAS_TEXT.get(value.getClass())) {
            throw new IllegalArgumentException("is a " + value.getClass().getTypeName()
                    + ", which has no text that identifies it; use one of its properties");
        }
        return value;
    }

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

    private static Method toStringOf(Class<?> type) {
        try {
            return type.getMethod("toString");
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("Every class has a toString", e);
        }
    }
}
