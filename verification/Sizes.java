import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Counts what this project weighs: {@code java verification/Sizes.java}, from its root. Code lines are lines of Java
 * that are not blank, comment, import or package. Properties and test seconds are those of the last build.
 */
final class Sizes {

    private static final Pattern TEXT_BLOCK = Pattern.compile("\"\"\".*?\"\"\"", Pattern.DOTALL);
    private static final Pattern STRING = Pattern.compile("\"(\\\\.|[^\"\\\\\n])*\"");
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
    private static final Pattern DECLARATION = Pattern.compile("\\s*(import|package)\\b.*");
    private static final Pattern PROPERTY = Pattern.compile("\"name\": \"distributed-lock\\.[^\"]+\",\\s*\"type\"");
    private static final Pattern PACKAGE =
            Pattern.compile("^(lock-(?!sample)[a-z-]+|stores/.+)/src/main/java/io/github/lockstarter/(.*?)/?[^/]+$");
    private static final Pattern TEST_SECONDS = Pattern.compile("<testcase [^>]*? time=\"([0-9.,]+)\"");

    public static void main(String[] arguments) throws IOException {
        List<Path> files = files();
        List<Path> java = files.stream().filter(ending(".java")).filter(ending("package-info.java").negate()).toList();
        List<Path> main = java.stream().filter(in("/src/main/")).toList();
        System.out.printf("%-28s %10s %8s%n", "", "code lines", "types");
        row("product", main, in("^lock-(core|redis|spring|recipes|starter|starter-test|starter-processor|rewrite)/"));
        row("  engine", main, in("^lock-core/.*/engine/"));
        row("stores", main, in("^stores/"));
        row("sample", main, in("^lock-sample-app/"));
        row("demo", main, in("^demo/"));
        row("kit", main, in("^verification/kit/"));
        row("benchmarks", main, in("^verification/benchmarks/"));
        row("tests", java, in("/src/test/"));
        List<Path> lua = files.stream().filter(ending(".lua")).filter(in("^lock-redis/src/main/")).toList();
        System.out.printf("%-28s %10d %8d%n", "Lua (lines, files)", lines(lua), lua.size());
        List<Path> documents = files.stream().filter(ending(".md")).toList();
        System.out.printf("%-28s %10d %8d%n", "documents (words, files)", words(documents), documents.size());
        System.out.printf("%-28s %10d%n", "properties", built("spring-configuration-metadata.json")
                .map(Sizes::read)
                .flatMap(text -> PROPERTY.matcher(text).results())
                .map(MatchResult::group)
                .distinct()
                .count());
        System.out.printf("%-28s %10.0f%n", "seconds of tests", built(".xml")
                .filter(path -> path.getFileName().toString().startsWith("TEST-"))
                .flatMap(report -> TEST_SECONDS.matcher(read(report)).results())
                .mapToDouble(seconds -> Double.parseDouble(seconds.group(1).replace(",", "")))
                .sum());
        System.out.printf("%n%-17s %-23s %10s %8s%n", "module", "package", "code lines", "types");
        main.stream()
                .filter(in(PACKAGE.pattern()))
                .collect(Collectors.groupingBy(Sizes::packageOf, TreeMap::new, Collectors.toList()))
                .forEach((name, types) -> System.out.printf(
                        "%s %10d %8d%n", name, types.stream().mapToLong(Sizes::codeLines).sum(), types.size()));
    }

    private static String packageOf(Path file) {
        Matcher found = PACKAGE.matcher(unixPath(file));
        return found.find() ? String.format("%-17s %-23s", found.group(1), found.group(2).replace('/', '.')) : "";
    }

    private static void row(String name, List<Path> files, Predicate<Path> which) {
        List<Path> counted = files.stream().filter(which).toList();
        System.out.printf("%-28s %10d %8d%n", name, counted.stream().mapToLong(Sizes::codeLines).sum(), counted.size());
    }

    private static long codeLines(Path file) {
        String text = STRING.matcher(TEXT_BLOCK.matcher(read(file)).replaceAll("''")).replaceAll("''");
        return COMMENT.matcher(text).replaceAll("").lines()
                .filter(line -> !line.isBlank() && !DECLARATION.matcher(line).matches())
                .count();
    }

    private static long lines(List<Path> files) {
        return files.stream().mapToLong(file -> read(file).lines().count()).sum();
    }

    private static long words(List<Path> files) {
        return files.stream().mapToLong(file -> read(file).trim().split("\\s+").length).sum();
    }

    private static List<Path> files() throws IOException {
        Predicate<Path> generated = in("(^|/)(target|\\.git)/");
        try (Stream<Path> all = Files.walk(Path.of(""))) {
            return all.filter(Files::isRegularFile).filter(generated.negate()).toList();
        }
    }

    private static Stream<Path> built(String ending) throws IOException {
        try (Stream<Path> all = Files.walk(Path.of(""))) {
            return all.filter(in("/target/(classes|surefire-reports|failsafe-reports)/"))
                    .filter(ending(ending))
                    .toList()
                    .stream();
        }
    }

    private static Predicate<Path> ending(String ending) {
        return path -> path.toString().endsWith(ending);
    }

    private static Predicate<Path> in(String folder) {
        Predicate<String> found = Pattern.compile(folder).asPredicate();
        return path -> found.test(unixPath(path));
    }

    private static String unixPath(Path path) {
        return path.toString().replace('\\', '/');
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
