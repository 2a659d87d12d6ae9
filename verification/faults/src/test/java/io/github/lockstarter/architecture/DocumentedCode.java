package io.github.lockstarter.architecture;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** A Java block of a document, as members or statements of a {@link DocumentedApplication}. */
final class DocumentedCode extends SimpleJavaFileObject {

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** Without libraries, in which each task would look for plugins of the compiler. */
    private static final JavaFileManager NO_LIBRARIES = withoutLibraries();

    private static final Pattern BLOCK =
            Pattern.compile("^ *```java\\n(.*?)^ *```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^import .*;\\n", Pattern.MULTILINE);
    private static final Pattern COMMENT = Pattern.compile("^ *//.*\\n| *//.*$", Pattern.MULTILINE);
    private static final Pattern LEFT_OUT = Pattern.compile("^( *)….*$", Pattern.MULTILINE);
    private static final Pattern TYPE = Pattern.compile("^class ", Pattern.MULTILINE);
    private static final Pattern CONSTRUCTOR = Pattern.compile("^([A-Z]\\w*)(\\(.*\\)) \\{ … }", Pattern.MULTILINE);

    private static final String IMPORTS = Stream.of(
                    "io.github.lockstarter.*",
                    "io.github.lockstarter.leader.*",
                    "io.github.lockstarter.scheduling.*",
                    "java.math.BigDecimal",
                    "java.time.*",
                    "java.util.*",
                    "java.util.concurrent.*",
                    "java.util.concurrent.locks.*",
                    "com.tngtech.archunit.core.domain.*",
                    "com.tngtech.archunit.core.importer.*",
                    "net.javacrumbs.shedlock.core.LockProvider",
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

    private final String document;
    private final String place;
    private final String className;
    private final String code;
    private final Map<String, String> statements;
    private final String text;

    private DocumentedCode(
            String document,
            int line,
            String className,
            String imports,
            String code,
            String members,
            Map<String, String> statements) {
        super(URI.create("string:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
        this.document = document;
        this.place = document + ":" + line;
        this.className = className;
        this.code = code;
        this.statements = statements;
        String simpleName = className.substring(className.indexOf('.') + 1);
        this.text = "package " + className.substring(0, className.indexOf('.')) + ";\n" + imports + IMPORTS
                + "public class " + simpleName + " extends io.github.lockstarter.architecture.DocumentedApplication {\n"
                + members + "}\n";
    }

    private static JavaFileManager withoutLibraries() {
        try {
            StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, null);
            files.setLocation(StandardLocation.CLASS_PATH, List.of());
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the blocks of all documents} */
    static List<DocumentedCode> all() throws IOException {
        List<DocumentedCode> blocks = new ArrayList<>();
        for (Path document :
                SourceFiles.under(SourceFiles.ROOT, ".md").stream().sorted().toList()) {
            String text = Files.readString(document);
            for (MatchResult block : BLOCK.matcher(text).results().toList()) {
                int line = (int) text.substring(0, block.start()).lines().count();
                String name = SourceFiles.ROOT.relativize(document).toString();
                blocks.add(of(blocks.size(), name, line, block.group(1)));
            }
        }
        return blocks;
    }

    /**
     * {@return a block} Blank lines may separate members from statements. What it leaves out notes that it ran.
     *
     * @param number makes its package unique
     * @param document path
     * @param line line in the document
     * @param block Java
     */
    static DocumentedCode of(int number, String document, int line, String block) {
        String imports = IMPORT.matcher(block).results().map(MatchResult::group).collect(Collectors.joining());
        String code = COMMENT.matcher(IMPORT.matcher(block).replaceAll("")).replaceAll("");
        String whole = LEFT_OUT.matcher(
                        CONSTRUCTOR.matcher(code).replaceAll("public $1$2 {}").replace("{ … }", "{ throw ran(); }"))
                .replaceAll("$1ran();");
        Matcher constructor = CONSTRUCTOR.matcher(code);
        String name = "documented" + number + "." + (constructor.find() ? constructor.group(1) : "Documented");
        for (List<String> parts : List.of(Arrays.asList(whole.split("\n\n+")), List.of(whole))) {
            Optional<DocumentedCode> read = read(document, line, name, imports, code, parts);
            if (read.isPresent()) {
                return read.get();
            }
        }
        return new DocumentedCode(document, line, name, imports, code, whole, Map.of()); // javac reports why not
    }

    private static Optional<DocumentedCode> read(
            String document, int line, String name, String imports, String code, List<String> parts) {
        StringBuilder members = new StringBuilder();
        Map<String, String> statements = new LinkedHashMap<>();
        for (String part : parts) {
            String method = "statements" + statements.size();
            String body = "public void " + method + "() throws Throwable {\n" + part + "\n}\n";
            Optional<String> member = (TYPE.matcher(part).find() ? Stream.of(part) : Stream.of(body, part))
                    .filter(each ->
                            new DocumentedCode(document, line, name, imports, code, each, Map.of()).isReadable())
                    .findFirst();
            if (member.isEmpty()) {
                return Optional.empty();
            }
            if (member.get().equals(body)) {
                statements.put(method, part.strip());
            }
            members.append(member.get()).append('\n');
        }
        return Optional.of(new DocumentedCode(document, line, name, imports, code, members.toString(), statements));
    }

    /** {@return the errors of the compiler} */
    static List<String> compile(List<DocumentedCode> blocks, Path output) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = List.of("-proc:none", "-nowarn", "-parameters", "-d", output.toString());
        COMPILER.getTask(null, null, found, options, null, blocks).call();
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> (each.getSource() instanceof DocumentedCode block ? block.place : "") + ": "
                        + each.getMessage(null))
                .toList();
    }

    String document() {
        return document;
    }

    String place() {
        return place;
    }

    String className() {
        return className;
    }

    /** {@return the block without comments and imports} */
    String code() {
        return code;
    }

    /** {@return the first line of the statements that became a method, or the name of a documented one} */
    String title(String method) {
        return statements.getOrDefault(method, method).lines().findFirst().orElse(method);
    }

    private boolean isReadable() {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try {
            ((JavacTask) COMPILER.getTask(null, NO_LIBRARIES, found, List.of("-proc:none"), null, List.of(this)))
                    .parse();
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
