package io.github.lockstarter.architecture;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * A value of a YAML document: a mapping, a list, or a text. A number is its text, and {@code on} is no boolean, as
 * GitHub reads it. A value that is not there is an empty text.
 */
record YamlValue(Object content) {

    /** Reads one document; refuses a key that is written twice. */
    static YamlValue read(String text) {
        return documents(text).get(0);
    }

    static List<YamlValue> documents(String text) {
        LoaderOptions loading = new LoaderOptions();
        loading.setAllowDuplicateKeys(false);
        DumperOptions dumping = new DumperOptions();
        Yaml yaml = new Yaml(new SafeConstructor(loading), new Representer(dumping), dumping, loading, new TextsOnly());
        return StreamSupport.stream(yaml.loadAll(text).spliterator(), false)
                .map(YamlValue::of)
                .toList();
    }

    private static YamlValue of(Object content) {
        return new YamlValue(Objects.requireNonNullElse(content, ""));
    }

    YamlValue at(String key) {
        return of(content instanceof Map<?, ?> map ? map.get(key) : null);
    }

    boolean isEmpty() {
        return content.equals("");
    }

    /** In the order of the file; none if this is no mapping. */
    Set<String> keys() {
        return content instanceof Map<?, ?> map
                ? map.keySet().stream().map(Object::toString).collect(Collectors.toCollection(LinkedHashSet::new))
                : Set.of();
    }

    /** The elements of a list; of another value, the value. */
    List<YamlValue> items() {
        if (content instanceof List<?> list) {
            return list.stream().map(YamlValue::of).toList();
        }
        return isEmpty() ? List.of() : List.of(this);
    }

    String text() {
        return content.toString();
    }

    /** All texts in it, without keys. */
    Stream<String> texts() {
        if (content instanceof Map<?, ?> map) {
            return map.values().stream().map(YamlValue::of).flatMap(YamlValue::texts);
        }
        return content instanceof List ? items().stream().flatMap(YamlValue::texts) : Stream.of(text());
    }

    /** Resolves no scalar, except for texts. */
    private static final class TextsOnly extends Resolver {

        @Override
        protected void addImplicitResolvers() {}
    }
}
