package io.github.lockstarter.processor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.annotation.processing.Processor;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A run of a compiler over sources in memory.
 *
 * @param classes folder of the class files
 * @param diagnostics what the compiler printed
 */
record Compilation(Path classes, List<Diagnostic<? extends JavaFileObject>> diagnostics) {

    static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();

    /** With the processor as it is installed: by its service file. */
    static final List<String> PROCESSED = List.of("-processorpath", locationOf(LockAnnotationProcessor.class));

    static final List<String> NOT_PROCESSED = List.of("-proc:none");

    /** Of a top-level type, by the name of its file. */
    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        private Source(String name, String text) {
            super(URI.create("string:///" + name.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        String className() {
            return getName().substring(1, getName().length() - ".java".length()).replace('/', '.');
        }
    }

    /** @param sources by the name of the class */
    static Compilation of(Map<String, String> sources, List<String> options) {
        List<String> all = new ArrayList<>(List.of("-Xmaxerrs", "9999", "-Xmaxwarns", "9999"));
        all.addAll(options);
        return of(JAVAC, sources, all, List.of());
    }

    /** @param processors in place of those that the compiler finds, unless empty */
    static Compilation of(
            JavaCompiler compiler, Map<String, String> sources, List<String> options, List<Processor> processors) {
        Path classes = temporaryFolder();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> all = Stream.concat(options.stream(), Stream.of("-parameters", "-d", classes.toString()))
                .toList();
        List<Source> files = new ArrayList<>();
        sources.forEach((name, text) -> files.add(new Source(name, text)));
        JavaCompiler.CompilationTask task = compiler.getTask(null, null, found, all, null, files);
        if (!processors.isEmpty()) {
            task.setProcessors(processors);
        }
        task.call();
        return new Compilation(classes, found.getDiagnostics());
    }

    /** {@return the sources that javac accepts} It finds some errors only when there are no others. */
    static Map<String, String> valid(Map<String, String> sources) {
        Map<String, String> valid = new TreeMap<>(sources);
        while (valid.keySet()
                .removeAll(
                        of(valid, NOT_PROCESSED).messages(Diagnostic.Kind.ERROR).keySet())) {}
        return valid;
    }

    /** {@return the messages by the class of their sources} */
    Map<String, List<String>> messages(Diagnostic.Kind kind) {
        Map<String, List<String>> messages = new TreeMap<>();
        for (Diagnostic<? extends JavaFileObject> each : diagnostics) {
            if (each.getKind() == kind) {
                String place = each.getSource() instanceof Source source ? source.className() : "";
                messages.computeIfAbsent(place, none -> new ArrayList<>()).add(each.getMessage(Locale.ROOT));
            }
        }
        return messages;
    }

    URLClassLoader load() {
        try {
            return new URLClassLoader(new URL[] {classes.toUri().toURL()}, Compilation.class.getClassLoader());
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String locationOf(Class<?> type) {
        return Path.of(URI.create(
                        type.getProtectionDomain().getCodeSource().getLocation().toString()))
                .toString();
    }

    /** Below the folder for temporary files of the build. */
    private static Path temporaryFolder() {
        try {
            return Files.createTempDirectory("classes");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
