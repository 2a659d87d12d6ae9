package io.github.lockstarter.demo;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Names of constants as they stand in commands, addresses and JSON, such as {@code kill-holder}. */
public final class KebabCase {

    private KebabCase() {}

    /** The name of a constant. */
    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The constant of that name, if there is one. */
    public static <E extends Enum<E>> Optional<E> find(Class<E> type, String name) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> of(constant).equals(name))
                .findFirst();
    }

    /** The names of all constants, with commas between them. */
    public static <E extends Enum<E>> String all(Class<E> type) {
        return Arrays.stream(type.getEnumConstants()).map(KebabCase::of).collect(Collectors.joining(", "));
    }
}
