package io.github.lockstarter.autoconfigure;

import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/**
 * Names of the properties below {@code distributed-lock}, as records declare them: which there are, and which one is
 * nearest to a misspelt name. Names are given and returned without the prefix; an asterisk stands for the key of a map,
 * as in {@code locks.*.lease}.
 */
final class PropertyNames {

    private static final String ANY = "*";
    private static final String PREFIX = DistributedLockProperties.PREFIX;

    private final Set<String> names = new TreeSet<>();

    /** Those of the records that are named in {@code @EnableConfigurationProperties}, which names beans by prefix. */
    static PropertyNames declaredIn(ConfigurableListableBeanFactory beans) {
        PropertyNames all = new PropertyNames();
        for (String bean : beans.getBeanDefinitionNames()) {
            Class<?> type = bean.startsWith(PREFIX) ? beans.getType(bean, false) : null;
            ConfigurationProperties properties =
                    type == null ? null : type.getAnnotation(ConfigurationProperties.class);
            if (type != null && properties != null) {
                String prefix = properties.prefix().isEmpty() ? properties.value() : properties.prefix();
                all.add(type, prefix);
            }
        }
        return all;
    }

    /** Adds what a record takes whose prefix is that of the locks, or below it. */
    private void add(Class<?> type, String prefix) {
        if (prefix.equals(PREFIX)) {
            addComponents(type, "");
        } else if (prefix.startsWith(PREFIX + '.')) {
            addComponents(type, prefix.substring(PREFIX.length() + 1) + '.');
        }
    }

    /** Reads the constructor, as Boot does: of a record, a native image has nothing else. */
    private void addComponents(Class<?> type, String parent) {
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        Parameter[] parameters = constructor.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            Name name = parameters[i].getAnnotation(Name.class);
            addValue(
                    ResolvableType.forConstructorParameter(constructor, i),
                    parent + (name == null ? dashed(parameters[i].getName()) : name.value()));
        }
    }

    private void addValue(ResolvableType type, String name) {
        Class<?> value = type.resolve(Object.class);
        if (value == Map.class) {
            addValue(type.getGeneric(1), name + '.' + ANY);
        } else if (value.isRecord()) {
            addComponents(value, name + '.');
        } else {
            names.add(name);
        }
    }

    private static String dashed(String camelCase) {
        return camelCase.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    /** Whether there is a property of this name, in any spelling that is bound. */
    boolean isKnown(ConfigurationPropertyName name) {
        ConfigurationPropertyName whole = name;
        while (!whole.isEmpty()
                && whole.isLastElementIndexed()
                && whole.isNumericIndex(whole.getNumberOfElements() - 1)) {
            whole = whole.getParent();
        }
        List<String> elements = elements(whole);
        return names.stream().anyMatch(each -> matches(elements(each), elements));
    }

    /** Whether properties begin with this name. */
    boolean isGroup(ConfigurationPropertyName name) {
        List<String> elements = elements(name);
        return names.stream()
                .map(PropertyNames::elements)
                .anyMatch(each -> each.size() > elements.size() && matches(each.subList(0, elements.size()), elements));
    }

    private static boolean matches(List<String> declared, List<String> elements) {
        return declared.size() == elements.size()
                && IntStream.range(0, declared.size())
                        .allMatch(i -> declared.get(i).equals(ANY)
                                || plain(declared.get(i)).equals(plain(elements.get(i))));
    }

    /** The property whose name is nearest to a misspelt one; empty if no name is similar. */
    Optional<String> nearest(ConfigurationPropertyName misspelt) {
        List<String> elements = elements(misspelt);
        return names.stream()
                .map(PropertyNames::elements)
                .filter(declared -> declared.lastIndexOf(ANY) < elements.size())
                .map(declared -> new Candidate(declared, elements))
                .filter(Candidate::isNear)
                .min(Comparator.comparingInt(Candidate::distance))
                .map(Candidate::name);
    }

    private static List<String> elements(String name) {
        return Arrays.asList(name.split("\\."));
    }

    private static List<String> elements(ConfigurationPropertyName name) {
        return IntStream.range(0, name.getNumberOfElements())
                .mapToObj(i -> name.getElement(i, Form.ORIGINAL))
                .toList();
    }

    private static String plain(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }

    /**
     * A property that may be meant.
     *
     * @param declared its elements
     * @param misspelt those of the name that no property has
     */
    private record Candidate(List<String> declared, List<String> misspelt) {

        /** Without the keys of maps, which are free. */
        private String compared(List<String> elements) {
            return IntStream.range(0, elements.size())
                    .filter(i -> i >= declared.size() || !declared.get(i).equals(ANY))
                    .mapToObj(i -> plain(elements.get(i)))
                    .collect(Collectors.joining("."));
        }

        int distance() {
            return PropertyNames.distance(compared(misspelt), compared(declared));
        }

        boolean isNear() {
            return distance() <= 1 + compared(misspelt).length() / 5;
        }

        String name() {
            return IntStream.range(0, declared.size())
                    .mapToObj(i -> declared.get(i).equals(ANY) ? key(misspelt.get(i)) : declared.get(i))
                    .collect(Collectors.joining("."));
        }
    }

    /** As the key of a map is written, such as {@code [OrderService.ship]}. */
    static String key(String original) {
        return original.matches("[a-z0-9-]+") ? original : '[' + original + ']';
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

    /** Whether a variable of this name is bound. */
    boolean isKnown(String variable, Spelling spelling) {
        String whole = variable.replaceAll("_\\d+$", "");
        return names.stream().anyMatch(name -> spelling.matches(name, whole));
    }

    /** The variable whose name is nearest to a misspelt one; empty if no name is similar. */
    Optional<String> nearest(String variable, Spelling spelling) {
        PropertyNames withoutKeys = new PropertyNames();
        names.stream().filter(name -> !name.contains(ANY)).forEach(withoutKeys.names::add);
        return withoutKeys
                .nearest(ConfigurationPropertyName.adapt(variable, '_'))
                .map(spelling::of);
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

        /** The key of a map may have any number of parts. */
        private boolean matches(String property, String variable) {
            return Pattern.matches(of(property).replace(ANY, ".+"), variable);
        }
    }
}
