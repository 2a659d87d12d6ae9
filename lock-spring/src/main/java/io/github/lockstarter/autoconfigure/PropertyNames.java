package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindConstructorProvider;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ClassUtils;

/**
 * Names of the properties below {@code distributed-lock}, as classes declare them: which there are, and which one is
 * nearest to a misspelt name. Names are given and returned without the prefix; an asterisk stands for the key of a map
 * or the index of a list, as in {@code locks.*.lease}, and two for any rest.
 */
final class PropertyNames {

    private static final String ANY = "*";
    private static final String REST = "**";
    private static final int MOST_ELEMENTS = 10;
    private static final String PREFIX = DistributedLockProperties.PREFIX;

    private final Set<String> names = new TreeSet<>();

    /** Those that beans of this context or an ancestor are bound to. */
    static PropertyNames declaredIn(ConfigurableListableBeanFactory beans) {
        PropertyNames all = beans.getParentBeanFactory() instanceof ConfigurableListableBeanFactory parent
                ? declaredIn(parent)
                : new PropertyNames();
        for (String bean : beans.getBeanDefinitionNames()) {
            ConfigurationProperties properties = beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
            Class<?> type = properties == null ? null : beans.getType(bean, false);
            if (type != null && properties != null) {
                all.add(type, properties);
            }
        }
        return all;
    }

    /**
     * Adds those of the stores on the class path whose auto-configuration is not used, such as in a test slice: they
     * set nothing, and are not misspelt.
     */
    void addUnused(@Nullable ClassLoader loader) {
        MetadataReaderFactory readers = new SimpleMetadataReaderFactory(loader);
        for (String candidate : ImportCandidates.load(AutoConfiguration.class, loader)) {
            if (!candidate.startsWith("org.springframework.")) {
                addUnused(candidate, readers, loader);
            }
        }
    }

    private void addUnused(String candidate, MetadataReaderFactory readers, @Nullable ClassLoader loader) {
        try {
            MergedAnnotation<?> enabled = readers.getMetadataReader(candidate)
                    .getAnnotationMetadata()
                    .getAnnotations()
                    .get(EnableConfigurationProperties.class);
            for (String name : enabled.isPresent() ? enabled.getStringArray(MergedAnnotation.VALUE) : new String[0]) {
                Class<?> type = ClassUtils.forName(name, loader);
                add(type, type.getAnnotation(ConfigurationProperties.class));
            }
        } catch (IOException | ClassNotFoundException | LinkageError e) {
            // needs what is not on the class path, so it sets nothing
        }
    }

    /** Adds what a class takes whose prefix is that of the locks, or below it. */
    private void add(Class<?> type, @Nullable ConfigurationProperties properties) {
        String prefix =
                properties == null ? "" : properties.prefix().isEmpty() ? properties.value() : properties.prefix();
        if (prefix.equals(PREFIX)) {
            addComponents(type, "");
        } else if (prefix.startsWith(PREFIX + '.')) {
            addComponents(type, prefix.substring(PREFIX.length() + 1) + '.');
        }
    }

    /**
     * Reads the constructor, as Boot does: of a record, a native image has nothing else. Below a class that is no
     * record, or a record in itself, any name is known.
     */
    private void addComponents(Class<?> type, String parent) {
        Constructor<?> constructor =
                type.isRecord() ? BindConstructorProvider.DEFAULT.getBindConstructor(type, true) : null;
        if (constructor == null || elements(parent).size() > MOST_ELEMENTS) {
            names.add(parent + REST);
            return;
        }
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
        if (Map.class.isAssignableFrom(value)) {
            addElements(type.asMap().getGeneric(1), name, name + '.' + REST);
        } else if (value.isArray()) {
            addElements(type.getComponentType(), name, name);
        } else if (Collection.class.isAssignableFrom(value)) {
            addElements(type.asCollection().getGeneric(0), name, name);
        } else if (isScalar(value)) {
            names.add(name);
        } else {
            if (!value.isRecord()) {
                names.add(name); // a converter may take its text
            }
            addComponents(value, name + '.');
        }
    }

    /** The elements of a list, or the values of a map, whose keys may have dots where the values have no properties. */
    private void addElements(ResolvableType type, String name, String ofScalars) {
        if (isScalar(type.resolve(Object.class))) {
            names.add(ofScalars);
        } else {
            addValue(type, name + '.' + ANY);
        }
    }

    private static boolean isScalar(Class<?> type) {
        boolean container = Map.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type);
        return !container
                && !type.isArray()
                && (type.getName().startsWith("java.") || ClassUtils.isSimpleValueType(type));
    }

    private static String dashed(String camelCase) {
        return camelCase.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    /** Whether there is a property of this name, in any spelling that is bound. */
    boolean isKnown(ConfigurationPropertyName name) {
        boolean isElement = name.getNumberOfElements() > 1
                && name.isLastElementIndexed()
                && name.isNumericIndex(name.getNumberOfElements() - 1);
        List<String> elements = elements(name);
        return names.stream().map(PropertyNames::elements).anyMatch(declared -> isOneOf(declared, elements))
                || (isElement && isKnown(name.getParent()));
    }

    private static boolean isOneOf(List<String> declared, List<String> elements) {
        int least = declared.size() - 1;
        return declared.get(least).equals(REST)
                ? elements.size() > least && matches(declared.subList(0, least), elements.subList(0, least))
                : matches(declared, elements);
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
                .filter(name -> !name.endsWith(REST))
                .map(PropertyNames::elements)
                .filter(declared -> declared.lastIndexOf(ANY) < elements.size())
                .flatMap(declared -> Stream.of(elements, withWholeKey(elements, declared))
                        .map(each -> new Candidate(declared, each)))
                .filter(Candidate::isNear)
                .min(Comparator.comparingInt(Candidate::distance))
                .map(Candidate::name);
    }

    /** With the dots of a key that lacks its brackets, as in {@code locks.OrderService.ship.lease}. */
    private static List<String> withWholeKey(List<String> elements, List<String> declared) {
        int key = declared.indexOf(ANY);
        int end = key + 1 + elements.size() - declared.size();
        if (key < 0 || end <= key + 1) {
            return elements;
        }
        List<String> whole = new ArrayList<>(elements.subList(0, key));
        whole.add(String.join(".", elements.subList(key, end)));
        whole.addAll(elements.subList(end, elements.size()));
        return whole;
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
        return original.matches("(?!\\d+$)[a-z0-9-]+") ? original : '[' + original + ']';
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
            return Pattern.matches(of(property).replace(REST, ANY).replace(ANY, ".+"), variable);
        }
    }
}
