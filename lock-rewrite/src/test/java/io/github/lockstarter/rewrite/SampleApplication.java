package io.github.lockstarter.rewrite;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Parser;
import org.openrewrite.Recipe;
import org.openrewrite.Result;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.InMemoryLargeSourceSet;
import org.openrewrite.java.JavaParser;
import org.openrewrite.xml.XmlParser;

/** A small application of another library, in {@code src/test/apps}, before or after its migration. */
record SampleApplication(Map<Path, String> files) {

    static final Map<String, Recipe> RECIPES = Map.of(
            "lock4j", new MigrateFromLock4j(),
            "redisson", new MigrateFromRedisson(),
            "shedlock", new MigrateFromShedLock());

    private static final Map<String, SampleApplication> MIGRATED = new ConcurrentHashMap<>();

    /** The application of a library after its recipe. */
    static SampleApplication migrated(String library) {
        return MIGRATED.computeIfAbsent(library, each -> of(each).migratedBy(RECIPES.get(each)));
    }

    static SampleApplication of(String library) {
        Path root = Path.of("src", "test", "apps", library);
        Map<Path, String> files = new TreeMap<>();
        try (Stream<Path> found = Files.walk(root)) {
            for (Path file : found.filter(Files::isRegularFile).toList()) {
                files.put(root.relativize(file), Files.readString(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new SampleApplication(files);
    }

    SampleApplication with(String file, String text) {
        Map<Path, String> changed = new TreeMap<>(files);
        changed.put(Path.of(file), text);
        return new SampleApplication(changed);
    }

    SampleApplication migratedBy(Recipe recipe) {
        ExecutionContext context = new InMemoryExecutionContext(failure -> {
            throw new AssertionError(failure);
        });
        List<SourceFile> sources = new ArrayList<>();
        parse(JavaParser.fromJavaVersion().classpath(libraries()).build(), ".java", context, sources);
        parse(XmlParser.builder().build(), ".xml", context, sources);
        Map<Path, String> migrated = new TreeMap<>(files);
        for (Result result : recipe.run(new InMemoryLargeSourceSet(sources), context)
                .getChangeset()
                .getAllResults()) {
            SourceFile after = result.getAfter();
            if (after == null) {
                throw new AssertionError("removed " + result.getBefore());
            }
            migrated.put(after.getSourcePath(), after.printAll());
        }
        return new SampleApplication(migrated);
    }

    String text() {
        return String.join("\n", files.values());
    }

    /** Those that an application may use. */
    static List<Path> libraries() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> !path.toString().contains("openrewrite"))
                .toList();
    }

    private void parse(Parser parser, String suffix, ExecutionContext context, List<SourceFile> parsed) {
        List<Parser.Input> inputs = files.entrySet().stream()
                .filter(file -> file.getKey().toString().endsWith(suffix))
                .map(file -> Parser.Input.fromString(file.getKey(), file.getValue()))
                .toList();
        parser.parseInputs(inputs, null, context).forEach(parsed::add);
    }
}
