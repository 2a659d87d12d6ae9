package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

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

    /** What the generated {@code toString} of a record shows; it is final, unlike most that are written by hand. */
    private static final ClassValue<List<Method>> SHOWN_COMPONENTS = new ClassValue<>() {
        @Override
        protected List<Method> computeValue(Class<?> type) {
            if (!type.isRecord() || !Modifier.isFinal(toStringOf(type).getModifiers())) {
                return List.of();
            }
            List<Method> accessors = Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getAccessor)
                    .toList();
            accessors.forEach(ReflectionUtils::makeAccessible);
            return accessors;
        }
    };

    private KeyRenderer() {}

    /** A value has no text; the message continues a sentence about the value. */
    static final class NoTextException extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        NoTextException(String why) {
            super(why);
        }
    }

    /**
     * Refuses what has no text of its own.
     *
     * @throws NoTextException when the value is null, an array, a collection, a map, an optional, a date whose
     *     text depends on the time zone of the JVM, of a type without a {@code toString} of its own, or a record that
     *     shows one of these; the message continues a sentence about the value
     */
    static Object checked(@Nullable Object value) {
        if (value == null) {
            throw new NoTextException("is null");
        }
        checkText(value, "is a " + value.getClass().getTypeName());
        return value;
    }

    private static void checkText(Object value, String found) {
        if (value instanceof Date || value instanceof Calendar) {
            throw new NoTextException(found
                    + ", whose text depends on the time zone of the JVM; use its toInstant() or a type of java.time");
        }
        if (!HAS_TEXT.get(value.getClass())) {
            throw new NoTextException(found + ", which has no text that identifies it; use one of its properties");
        }
        for (Method accessor : SHOWN_COMPONENTS.get(value.getClass())) {
            Object component = ReflectionUtils.invokeMethod(accessor, value);
            if (component != null) {
                checkText(
                        component,
                        found + " whose '" + accessor.getName() + "' is a "
                                + component.getClass().getTypeName());
            }
        }
    }

    /**
     * The text.
     *
     * @throws NoTextException as {@link #checked}, and when the text is blank
     */
    static String of(@Nullable Object value) {
        Object checked = checked(value);
        String text = checked instanceof Enum<?> constant ? constant.name() : checked.toString();
        if (text == null || text.isBlank()) {
            throw new NoTextException("is blank");
        }
        return text;
    }

    /** The methods of a type that are looked at by reflection, for the text of a value. */
    static Stream<Method> methodsOf(Class<?> type) {
        return Stream.concat(Stream.of(toStringOf(type)), SHOWN_COMPONENTS.get(type).stream());
    }

    private static Method toStringOf(Class<?> type) {
        try {
            return type.getMethod("toString");
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("Found no toString of " + type + "; a native image needs a hint for it", e);
        }
    }
}
