package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import japicmp.cmp.JApiCmpArchive;
import japicmp.cmp.JarArchiveComparator;
import japicmp.cmp.JarArchiveComparatorOptions;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.jar.Manifest;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API is the recorded one, so that a commit shows each change of it. */
class PublicApiTests {

    private static final Path RECORDED = SourceFiles.ROOT.resolve("verification/api.txt");
    private static final Path CURRENT = Path.of("target", "api.txt");
    private static final Pattern OURS = Pattern.compile("io\\.github\\.lockstarter\\.(?:[a-z]+\\.)*[A-Z]\\w*");

    private static final String KEPT = """
            public class Kept<T extends Number> implements Runnable {
                public static final int LIMIT = 3;
                protected static final String NAME = "kept";
                protected T seen;
                public Kept() {}
                protected Kept(int limit) {}
                public void run() {}
                public Number find(String key) throws java.io.IOException { return null; }
                public static Kept<Integer> of() { return null; }
                protected void onFound(T found) {}
                public interface Listener {
                    void on(String event);
                    default void off() {}
                }
                public enum State { HELD, LOST }
                public record Held(String key, long token) {}
                public @interface Lock { String value(); long lease() default 3; }
                public static class Lost extends IllegalStateException {}
                public static class Late extends Lost {}
            }
            """;

    /** What is in the code, and what takes its place. */
    private static final List<String> BREAKS = """
            public Number find(String key) throws java.io.IOException { return null; } |
            public Number find | public Integer find
            public Number find | public Object find
            String key) throws | CharSequence key) throws
            throws java.io.IOException | throws Exception
            throws java.io.IOException | throws java.io.FileNotFoundException
            public Number find | protected Number find
            public Number find | Number find
            public Number find | public static Number find
            public Number find | public final Number find
            public static Kept | public Kept
            protected void onFound | void onFound
            protected void onFound(T found) {} |
            void onFound(T found) | void onFound(Number found, int times)
            public static final int LIMIT = 3; |
            LIMIT = 3 | LIMIT = 4
            int LIMIT | long LIMIT
            protected T seen; |
            protected T seen | protected final T seen = null
            protected Kept(int limit) {} |
            protected Kept(int | Kept(int
            public Kept() {} | private Kept() {}
            T extends Number | T extends Integer
            implements Runnable |
            public class Kept | public final class Kept
            public class Kept | public abstract class Kept
            void on(String event); |
            void on(String event); | void on(String event); void more();
            default void off() {} | void off();
            default void off() {} |
            HELD, LOST | HELD
            HELD, LOST | HELD, GONE
            String key, long token | String key
            String key, long token | String key, int token
            default 3 |
            default 3 | default 4
            String value(); |
            String value(); | String value(); String name();
            extends IllegalStateException | extends RuntimeException
            extends Lost | extends IllegalStateException
            public static class Late | static class Late
            """.lines().toList();

    /** The value of a constant, and the default of an attribute. */
    private static final Set<String> NOT_OF_JAPICMP =
            Set.of("LIMIT = 3 | LIMIT = 4", "default 3 |", "default 3 | default 4");

    /** It takes the attribute for a method that implementations do not have. */
    private static final String FALSE_ALARM_OF_JAPICMP =
            "String value(); | String value(); String name() default \"\";";

    private static final List<String> ADDITIONS = """
            public Kept() {} | public Kept() {} public void more() {}
            public Kept() {} | public Kept() {} private void more() {}
            public Kept() {} | public Kept() {} void more() {}
            public Kept() {} | public Kept() {} public static class More {}
            default void off() {} | default void off() {} default void more() {}
            HELD, LOST | HELD, LOST, GONE
            String value(); | String value(); String name() default "";
            String key) throws | String name) throws
            """.lines().toList();

    @TempDir
    private Path folder;

    @Test
    void theApiIsAsRecorded() throws Exception {
        Set<String> now = PublicApi.lines();
        Files.write(CURRENT, now);
        Set<String> recorded = new LinkedHashSet<>(Files.readAllLines(RECORDED));
        String action = "if intended, copy verification/faults/target/api.txt to verification/api.txt";
        assertThat(PublicApi.breaks(recorded, now)).as("breaks; " + action).isEmpty();
        assertThat(now).as("changes; " + action).containsExactlyElementsOf(recorded);
    }

    /** A user who calls a method needs the types of its signature. */
    @Test
    void theApiMentionsTypesOfTheApiOnly() throws Exception {
        Set<String> types = new TreeSet<>();
        Set<String> mentioned = new TreeSet<>();
        for (Class<?> type : PublicApi.types()) {
            types.add(type.getName());
            String lines = String.join("\n", PublicApi.of(type));
            OURS.matcher(lines).results().map(MatchResult::group).forEach(mentioned::add);
        }
        assertThat(types).hasSizeGreaterThan(60);
        assertThat(mentioned).isSubsetOf(types);
    }

    @Test
    void theCheckFindsALineThatIsGone() throws Exception {
        Set<String> recorded = PublicApi.lines();
        for (String line : List.of(
                "  public abstract boolean io.github.lockstarter.LockHandle.isHeld()",
                "type public class io.github.lockstarter.LockLostException : io.github.lockstarter.LockException",
                "property distributed-lock.lease java.time.Duration = 30s",
                "property distributed-lock.locks.<name>.max-wait java.time.Duration",
                "meter distributed.lock.acquire TIMER",
                "meter \"distributed.lock.leader\"",
                "value io.github.lockstarter.OnLost THROW",
                "response HeldLockReport.fencingToken long")) {
            assertThat(recorded).contains(line);
            Set<String> changed = new LinkedHashSet<>(recorded);
            changed.remove(line);
            assertThat(PublicApi.breaks(recorded, changed)).containsExactly("gone: " + line);
        }
    }

    /** The plugin that compares with a release finds nothing that this check does not find without one. */
    @Test
    void theCheckFindsABreak() throws Exception {
        Found found = compare(BREAKS);
        assertThat(found.ours()).containsExactlyElementsOf(BREAKS);
        assertThat(found.ofJapicmp())
                .containsExactlyElementsOf(BREAKS.stream()
                        .filter(change -> !NOT_OF_JAPICMP.contains(change))
                        .toList());
    }

    @Test
    void theCheckAcceptsAnAddition() throws Exception {
        assertThat(compare(ADDITIONS)).isEqualTo(new Found(List.of(), List.of(FALSE_ALARM_OF_JAPICMP)));
    }

    /** Changes that are found to be breaks. */
    private record Found(List<String> ours, List<String> ofJapicmp) {}

    private Found compare(List<String> changes) throws Exception {
        Path before = compiled("before", changes, change -> KEPT);
        Path after = compiled("after", changes, change -> {
            String[] parts = change.split("\\|", -1);
            assertThat(KEPT).contains(parts[0].strip());
            return KEPT.replace(parts[0].strip(), parts[1].strip());
        });
        Set<String> broken = new JarArchiveComparator(new JarArchiveComparatorOptions())
                .compare(new JApiCmpArchive(before.toFile(), "1"), new JApiCmpArchive(after.toFile(), "2")).stream()
                        .filter(type -> !type.isBinaryCompatible() || !type.isSourceCompatible())
                        .map(type -> type.getFullyQualifiedName().replaceAll("\\..*", ""))
                        .collect(Collectors.toSet());
        Found found = new Found(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < changes.size(); i++) {
            if (!PublicApi.breaks(lines(before, i), lines(after, i)).isEmpty()) {
                found.ours.add(changes.get(i));
            }
            if (broken.contains("kept" + i)) {
                found.ofJapicmp.add(changes.get(i));
            }
        }
        return found;
    }

    private static Set<String> lines(Path jar, int number) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
            return new LinkedHashSet<>(PublicApi.of(loader.loadClass("kept" + number + ".Kept")));
        }
    }

    /** Each change in a package of its own. */
    private Path compiled(String name, List<String> changes, UnaryOperator<String> source) throws Exception {
        Path classes = Files.createDirectory(folder.resolve(name));
        List<JavaFileObject> files = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            String text = "package kept" + i + ";\n" + source.apply(changes.get(i));
            URI uri = URI.create("string:///kept" + i + "/Kept.java");
            files.add(new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                    return text;
                }
            });
        }
        List<String> options = List.of("-proc:none", "-d", classes.toString());
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .getTask(null, null, null, options, null, files)
                        .call())
                .isTrue();
        return PublicationTests.jar(folder.resolve(name + ".jar"), new Manifest(), classes);
    }
}
