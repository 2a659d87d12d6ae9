package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A name means one type, and a boolean field is no claim. Nested types may share a name if they are always written with
 * their outer type (alternatives of a result or event, a {@code Kind}, {@code State} or {@code Outcome}), configure a
 * feature in an auto-configuration, or serve one test.
 */
class NameTests {

    private static final Pattern TOP_LEVEL_TYPE =
            Pattern.compile("^(?:[a-z-]+ )*?@?(?:class|interface|record|enum|object) ([A-Z]\\w*)", Pattern.MULTILINE);

    /** A field or local; components of records have the names of their accessors, and methods read as claims. */
    private static final Pattern CLAIM =
            Pattern.compile("^ *(?:[a-z]+ )*boolean (?:is|are)[A-Z]\\w*\\s*[=;]", Pattern.MULTILINE);

    @Test
    void topLevelTypesHaveNamesOfTheirOwn() throws IOException {
        Map<String, String> sources = sources();
        assertThat(sources).hasSizeGreaterThan(1000);
        assertThat(sharedNames(sources)).isEmpty();
    }

    @Test
    void findsASharedName() {
        assertThat(sharedNames(Map.of(
                        "a/Fault.java", "/** A fault. */\npublic final class Fault {\n    enum Kind {}\n}\n",
                        "b/Fault.java", "sealed interface Fault {\n    enum Kind {}\n}\n",
                        "c/Calls.kt", "/** The same. */\nenum class Fault { KILL }\n\nopen class Calls\n")))
                .containsOnlyKeys("Fault")
                .containsValue(List.of("a/Fault.java", "b/Fault.java", "c/Calls.kt"));
    }

    @Test
    void booleanFieldsAndLocalsAreNoClaims() throws IOException {
        Map<String, String> claims = sources();
        claims.values().removeIf(source -> !CLAIM.matcher(source).find());
        assertThat(claims.keySet()).isEmpty();
    }

    @Test
    void findsAClaim() {
        assertThat(List.of("private volatile boolean isClosed;", "boolean areWaiting = others > 0;"))
                .allSatisfy(source -> assertThat(source).containsPattern(CLAIM));
        assertThat(List.of("boolean isClosed() {", "record Answer(boolean isNew) {}", "boolean issued;"))
                .allSatisfy(source -> assertThat(source).doesNotContainPattern(CLAIM));
    }

    private static Map<String, List<String>> sharedNames(Map<String, String> sources) {
        Map<String, List<String>> files = new TreeMap<>();
        new TreeMap<>(sources).forEach((file, source) -> TOP_LEVEL_TYPE
                .matcher(source)
                .results()
                .forEach(type -> files.computeIfAbsent(type.group(1), name -> new ArrayList<>())
                        .add(file)));
        files.values().removeIf(each -> each.size() == 1);
        return files;
    }

    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        for (Path file : SourceFiles.under(SourceFiles.ROOT, ".java", ".kt")) {
            sources.put(SourceFiles.ROOT.relativize(file).toString(), Files.readString(file));
        }
        return sources;
    }
}
