package io.github.lockstarter.demo;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Names of constants in commands, URLs and JSON, such as {@code kill-holder}. */
public final class KebabCase {

    private KebabCase() {}

    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The constant with this name, if it exists. */
    public static <E extends Enum<E>> Optional<E> find(Class<E> type, String name) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> of(constant).equals(name))
                .findFirst();
    }

    /** The names of all constants, separated by commas. */
    public static <E extends Enum<E>> String all(Class<E> type) {
        return Arrays.stream(type.getEnumConstants()).map(KebabCase::of).collect(Collectors.joining(", "));
    }
}
