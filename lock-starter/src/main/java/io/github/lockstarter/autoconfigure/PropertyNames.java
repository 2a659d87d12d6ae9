package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.autoconfigure.DistributedLockProperties.Named;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.springframework.boot.context.properties.bind.Name;

/**
 * Names of the properties below {@code distributed-lock}, as its records declare them: which there are, and which one
 * is nearest to a misspelt name. Names are given and returned without the prefix.
 */
final class PropertyNames {

    private static final String LOCKS = "locks";
    private static final Set<String> ALL = new TreeSet<>();
    private static final Set<String> OF_A_LOCK = new TreeSet<>();

    static {
        collect(DistributedLockProperties.class, "", ALL);
        collect(Named.class, "", OF_A_LOCK);
    }

    private PropertyNames() {}

    private static void collect(Class<?> type, String prefix, Set<String> names) {
        RecordComponent[] components = type.getRecordComponents();
        Parameter[] parameters = type.getDeclaredConstructors()[0].getParameters();
        IntStream.range(0, components.length).forEach(i -> {
            Name name = parameters[i].getAnnotation(Name.class);
            String property = prefix + (name == null ? dashed(components[i].getName()) : name.value());
            if (components[i].getType().isRecord()) {
                collect(components[i].getType(), property + ".", names);
            } else if (components[i].getType() != Map.class) {
                names.add(property);
            }
        });
    }

    private static String dashed(String camelCase) {
        return camelCase.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    /** Whether there is a property of this name, in any spelling that is bound. */
    static boolean isKnown(String name) {
        String plain = plain(name);
        return plain.startsWith(LOCKS)
                ? OF_A_LOCK.stream().anyMatch(property -> plain.endsWith("." + plain(property)))
                : ALL.stream().anyMatch(property -> plain(property).equals(plain.replaceAll("\\[\\d+]$", "")));
    }

    /** The property whose name is nearest to a misspelt one; empty if no name is similar. */
    static Optional<String> nearest(String name) {
        int last = name.lastIndexOf('.') + 1;
        return name.startsWith(LOCKS) && last > 0
                ? nearest(name.substring(last), OF_A_LOCK).map(property -> name.substring(0, last) + property)
                : nearest(name, ALL);
    }

    private static Optional<String> nearest(String name, Set<String> properties) {
        String plain = plain(name);
        return properties.stream()
                .min(Comparator.comparingInt(property -> distance(plain, plain(property))))
                .filter(property -> distance(plain, plain(property)) <= 1 + plain.length() / 5);
    }

    private static String plain(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }

    /** How many characters must be put in, left out or replaced (Levenshtein). */
    private static int distance(String one, String other) {
        int[] row = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }

    /**
     * How an environment variable spells the names: {@code DISTRIBUTEDLOCK_MAXLEASE} or {@code
     * DISTRIBUTED_LOCK_MAX_LEASE}.
     */
    enum Spelling {
        /** Without dashes. */
        CANONICAL(""),
        /** With an underscore for a dash. */
        UNDERSCORED("_");

        private final String dash;

        Spelling(String dash) {
            this.dash = dash;
        }

        private String of(String property) {
            return property.replace("-", dash).replace('.', '_').toUpperCase(Locale.ROOT);
        }

        /** Whether a variable of this name is bound. */
        boolean isKnown(String variable) {
            return variable.startsWith("LOCKS_")
                    ? OF_A_LOCK.stream().anyMatch(property -> variable.endsWith("_" + of(property)))
                    : ALL.stream().map(this::of).anyMatch(variable.replaceAll("_\\d+$", "")::equals);
        }

        /** The variable whose name is nearest to a misspelt one; empty if no name is similar. */
        Optional<String> nearest(String variable) {
            return PropertyNames.nearest(variable.replace('_', '.'), ALL).map(this::of);
        }
    }
}
