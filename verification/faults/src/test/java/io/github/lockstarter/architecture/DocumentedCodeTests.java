package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java code of the documents, as members or statements of a {@link DocumentedApplication}. */
class DocumentedCodeTests {

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    private static final Pattern BLOCK =
            Pattern.compile("^ *```java\\n(.*?)^ *```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^import .*;\\n", Pattern.MULTILINE);
    private static final Pattern LEFT_OUT = Pattern.compile("^ *….*$", Pattern.MULTILINE);
    private static final Pattern CONSTRUCTOR = Pattern.compile("^([A-Z]\\w*)\\(", Pattern.MULTILINE);

    /** Libraries that this module does not have. */
    private static final Pattern FOREIGN = Pattern.compile("@EnableRetry|DistributedLockProvider");

    private static final String IMPORTS = Stream.of(
                    "io.github.lockstarter.*",
                    "io.github.lockstarter.autoconfigure.redis.*",
                    "io.github.lockstarter.leader.*",
                    "io.github.lockstarter.scheduling.*",
                    "io.github.lockstarter.transaction.*",
                    "java.math.BigDecimal",
                    "java.time.*",
                    "java.util.*",
                    "java.util.concurrent.*",
                    "java.util.concurrent.locks.*",
                    "com.tngtech.archunit.core.domain.*",
                    "com.tngtech.archunit.core.importer.*",
                    "org.junit.jupiter.api.*",
                    "org.springframework.beans.factory.annotation.*",
                    "org.springframework.boot.test.context.*",
                    "org.springframework.cache.annotation.*",
                    "org.springframework.context.annotation.*",
                    "org.springframework.context.event.EventListener",
                    "org.springframework.data.redis.connection.lettuce.*",
                    "org.springframework.scheduling.annotation.*",
                    "org.springframework.transaction.annotation.*",
                    "reactor.core.publisher.*",
                    "static org.assertj.core.api.Assertions.*",
                    "static org.mockito.ArgumentMatchers.*",
                    "static org.mockito.Mockito.when")
            .map(name -> "import " + name + ";\n")
            .collect(Collectors.joining());

    @TempDir
    private Path output;

    @Test
    void compiles() throws IOException {
        List<Source> sources = new ArrayList<>();
        for (Path document : SourceFiles.under(SourceFiles.ROOT, ".md")) {
            String text = Files.readString(document);
            for (MatchResult block : BLOCK.matcher(text).results().toList()) {
                String place = SourceFiles.ROOT.relativize(document) + ":"
                        + text.substring(0, block.start()).lines().count();
                if (!FOREIGN.matcher(block.group(1)).find()) {
                    sources.add(source(sources.size(), place, block.group(1)));
                }
            }
        }

        assertThat(sources).hasSizeGreaterThan(30);
        assertThat(problems(sources)).isEmpty();
    }

    @Test
    void theCheckFindsAMethodThatDoesNotExist() {
        Source wrong = source(0, "here:1", "LockHandle lock = locks.obtain(\"order:42\");\nlock.close();\n");

        assertThat(problems(List.of(wrong)))
                .singleElement()
                .asString()
                .startsWith("here:1: ")
                .contains("obtain");
    }

    /** Blank lines may separate members from statements. */
    private static Source source(int number, String place, String block) {
        String imports = IMPORT.matcher(block).results().map(MatchResult::group).collect(Collectors.joining());
        String code = LEFT_OUT.matcher(IMPORT.matcher(block).replaceAll("").replace("{ … }", "{ throw null; }"))
                .replaceAll("");
        Matcher constructor = CONSTRUCTOR.matcher(code);
        String name = constructor.find() ? constructor.group(1) : "Documented";
        List<String> whole = List.of(code);
        List<String> parts = Arrays.asList(code.split("\n\n+"));
        for (List<String> each : List.of(whole, parts)) {
            Optional<Source> parsed = parsed(number, place, imports, name, each);
            if (parsed.isPresent()) {
                return parsed.get();
            }
        }
        return new Source(number, place, name, imports, code); // javac reports why it cannot be read
    }

    private static Optional<Source> parsed(int number, String place, String imports, String name, List<String> parts) {
        StringBuilder members = new StringBuilder();
        for (String part : parts) {
            String statements = "void statements" + members.length() + "() throws Throwable {\n" + part + "\n}\n";
            Optional<String> member = Stream.of(part, statements)
                    .filter(each -> new Source(number, place, name, imports, each).isReadable())
                    .findFirst();
            if (member.isEmpty()) {
                return Optional.empty();
            }
            members.append(member.get()).append('\n');
        }
        return Optional.of(new Source(number, place, name, imports, members.toString()));
    }

    private List<String> problems(List<Source> sources) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = List.of("-proc:none", "-nowarn", "-d", output.toString());
        COMPILER.getTask(null, null, found, options, null, sources).call();
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each ->
                        (each.getSource() instanceof Source source ? source.place : "") + ": " + each.getMessage(null))
                .toList();
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String place;
        private final String text;

        Source(int number, String place, String name, String imports, String members) {
            super(URI.create("string:///documented" + number + "/" + name + ".java"), Kind.SOURCE);
            this.place = place;
            this.text = "package documented" + number + ";\n" + imports + IMPORTS + "abstract class " + name
                    + " extends io.github.lockstarter.architecture.DocumentedApplication {\n" + members + "}\n";
        }

        boolean isReadable() {
            DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
            try {
                ((JavacTask) COMPILER.getTask(null, null, found, null, null, List.of(this))).parse();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            return found.getDiagnostics().isEmpty();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
