package io.github.lockstarter.aop;

import io.github.lockstarter.LockRequest;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Renders a value as part of a key. Its text must be the same in every JVM, or two callers would use different locks.
 */
final class KeyRenderer {

    /** A record's default text includes {@code name=value} of each component. */
    private static final ClassValue<List<Method>> COMPONENTS = new ClassValue<>() {
        @Override
        protected List<Method> computeValue(Class<?> type) {
            if (!type.isRecord()) {
                return List.of();
            }
            List<Method> accessors = Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getAccessor)
                    .toList();
            accessors.forEach(ReflectionUtils::makeAccessible);
            return accessors;
        }
    };

    /**
     * The text of {@link Object#toString()} inside of a longer one: a class name with a capital letter or {@code $}, or
     * an array, and an identity hash, which has practically always five digits or more and one below ten. An address
     * such as {@code Ann@facade.com} continues, and that of a URL begins behind a slash.
     */
    private static final Pattern IDENTITY =
            Pattern.compile("(?:(?<!/)\\b[A-Z][\\w$]*|\\$[\\w$]*|;|\\[[BCDFIJSZ]|/0x[0-9a-f]+)"
                    + "@(?=[a-f]*[0-9])[0-9a-f]{5,8}(?![\\w.@/-]|:[0-9])");

    private KeyRenderer() {}

    /** Whether each element of such a value is a key. Another {@link Iterable}, such as a path, can be one key. */
    static boolean isListType(Class<?> type) {
        return type.isArray() ? type != byte[].class && type != char[].class : Collection.class.isAssignableFrom(type);
    }

    /**
     * {@return the text of the value, or of each element of a list}
     *
     * @throws IllegalArgumentException as {@link #of}, with the index of an element, or if there are too many
     */
    static List<String> allOf(@Nullable Object value) {
        if (value == null || !isListType(value.getClass())) {
            return List.of(of(value));
        }
        List<String> texts = new ArrayList<>();
        for (Object element :
                value instanceof Collection<?> list ? list : Arrays.asList(ObjectUtils.toObjectArray(value))) {
            if (texts.size() == LockRequest.MAX_KEYS) {
                throw new IllegalArgumentException("has more than " + LockRequest.MAX_KEYS + " elements");
            }
            try {
                texts.add(of(element));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("has an element [" + texts.size() + "] that " + e.getMessage(), e);
            }
        }
        return texts;
    }

    /** @throws IllegalArgumentException if values of the type have elements: a text would depend on their order */
    static void checkNoElements(Class<?> type) {
        if (isListType(type) || type.isArray() || Map.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException("makes a text of a " + type.getTypeName() + ", so that the same elements"
                    + " in another order would be another lock; let the list itself be the key, to lock each element");
        }
    }

    /**
     * @throws IllegalArgumentException if the value is null, blank, a container, a {@code Date} or {@code Calendar},
     *     has the {@code toString} of {@code Object} or shows it for a part, or is a record that shows such a value;
     *     the message continues a sentence about the value
     */
    static String of(@Nullable Object value) {
        String text = checkedText(value);
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("is blank");
        }
        return value instanceof Enum<?> constant ? constant.name() : text;
    }

    /** Accepts a blank text. */
    static @Nullable String checkedText(@Nullable Object value) {
        if (value == null) {
            throw new IllegalArgumentException("is null");
        }
        if (isListType(value.getClass())) {
            throw new IllegalArgumentException("is a " + value.getClass().getTypeName() + ", which is no single key; to"
                    + " lock each element, let the key expression be the list, such as #ids or #orders.!['eu:' + id]");
        }
        return value instanceof String text
                ? text
                : textOf(value, () -> "is a " + value.getClass().getTypeName());
    }

    private static @Nullable String textOf(Object value, Supplier<String> description) {
        if (value instanceof Date || value instanceof Calendar) {
            throw new IllegalArgumentException(description.get()
                    + ", whose text depends on the time zone of the JVM; use its toInstant() or a type of java.time");
        }
        String text = isContainer(value) ? null : value.toString();
        if (isContainer(value) || isInherited(text, value)) {
            throw new IllegalArgumentException(
                    description.get() + ", which has no text that identifies it; use one of its properties");
        }
        for (Method accessor : COMPONENTS.get(value.getClass())) {
            if (text != null && text.contains(accessor.getName() + '=')) {
                checkComponent(accessor, value, description);
            }
        }
        if (text != null && text.indexOf('@') >= 0 && !hasOwnText(value)) {
            checkNoIdentity(text, description);
        }
        return text;
    }

    /** Checked before {@code toString}, which may load a lazy collection. */
    private static boolean isContainer(Object value) {
        return value instanceof Collection
                || value instanceof Map
                || value instanceof Optional
                || value.getClass().isArray();
    }

    /** Computes the hash code only for a text that starts like {@link Object#toString()}. */
    private static boolean isInherited(@Nullable String text, Object value) {
        String name = value.getClass().getName();
        return text != null && text.startsWith(name) && text.equals(name + '@' + Integer.toHexString(value.hashCode()));
    }

    private static boolean hasOwnText(Object value) {
        return value instanceof CharSequence || value instanceof Number || value instanceof Enum;
    }

    private static void checkNoIdentity(String text, Supplier<String> description) {
        Matcher found = IDENTITY.matcher(text);
        if (found.find()) {
            throw new IllegalArgumentException(description.get() + ", whose text contains an identity hash ("
                    + found.group() + "), which differs in each JVM; use one of its properties");
        }
    }

    private static void checkComponent(Method accessor, Object record, Supplier<String> description) {
        Object component = ReflectionUtils.invokeMethod(accessor, record);
        if (component != null) {
            String type = component.getClass().getTypeName();
            textOf(component, () -> description.get() + " whose '" + accessor.getName() + "' is a " + type);
        }
    }
}
