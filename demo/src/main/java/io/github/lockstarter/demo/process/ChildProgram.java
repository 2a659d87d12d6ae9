package io.github.lockstarter.demo.process;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.kit.process.GuardedProcess;
import io.github.lockstarter.kit.process.ScratchDirectory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/**
 * A program of this application in its own JVM, from the same jar or class path, with the system properties that this
 * JVM was given, such as a trust store or a proxy, but without its Spring settings. It never outlives this JVM. Its
 * standard output is read line by line; its errors go to a file. Thread-safe.
 */
public final class ChildProgram implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ChildProgram.class);
    private static final String BOOT_LAUNCHER = "org.springframework.boot.loader.launch.JarLauncher";
    private static final String WITH_ERRORS_IN_FILE = "exec \"$@\" 2>>\"$0\"";
    private static final int SHOWN_ERRORS = 40;
    private static final long END_MS = 10_000;

    private static final Set<String> JVM_OPTIONS = Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");
    /** Spring Boot removes dashes from the names of variables, but also accepts underscores. */
    private static final List<String> SETTINGS =
            List.of("SPRING_", "SERVER_", "DISTRIBUTED_LOCK_", "DISTRIBUTEDLOCK_", "DEMO_", "MANAGEMENT_", "LOGGING_");

    private static final String PROPERTY = "-D";
    /** Two JVMs cannot listen on its port. */
    private static final String JMX = "com.sun.management.";

    private final String name;
    private final ScratchDirectory files;
    private final GuardedProcess process;
    private final Thread reader;

    /**
     * Starts a program.
     *
     * @param name for messages and its directory
     * @param arguments of {@link DemoApp}
     * @param output receives each printed line; must not block
     * @param ended runs on the same thread after the program has ended
     */
    public ChildProgram(String name, List<String> arguments, Consumer<String> output, Runnable ended) {
        this.name = name;
        this.files = ScratchDirectory.create("lock-demo-" + name + "-");
        this.process = GuardedProcess.startPiped(files.path(), command(arguments));
        this.reader = new Thread(() -> read(output, ended), "output-of-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    /** Its process id; zero after its end. */
    public long pid() {
        return isRunning() ? process.pid() : 0;
    }

    public void send(String line) {
        process.send(line);
    }

    /** Sends SIGSTOP: connections stay open. */
    public void pause() {
        process.pause();
    }

    public void resume() {
        process.resume();
    }

    /** The last lines of its standard error. */
    public String lastErrors() {
        try {
            List<String> lines = Files.readAllLines(errors());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_ERRORS), lines.size()));
        } catch (IOException unreadable) {
            return "its log cannot be read: " + unreadable.getMessage();
        }
    }

    /** Sends SIGKILL, waits for the process and its output, and deletes its files. Idempotent. */
    @Override
    public void close() {
        process.kill();
        try {
            reader.join(END_MS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
        files.close();
    }

    /** Settings of this JVM would override settings of the child. */
    private static boolean isSettingOfThisJvm(String variableOrProperty) {
        String name =
                variableOrProperty.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
        return JVM_OPTIONS.contains(name) || SETTINGS.stream().anyMatch(name::startsWith);
    }

    private void read(Consumer<String> output, Runnable ended) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.output(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                pass(line, output);
            }
        } catch (IOException closed) {
            // The process has ended.
        }
        ended.run();
    }

    /** A killed program may leave a truncated line, which cannot be parsed. */
    private void pass(String line, Consumer<String> output) {
        try {
            output.accept(line);
        } catch (RuntimeException notParsed) {
            log.debug("{} has printed '{}'", name, line, notParsed);
        }
    }

    private List<String> command(List<String> arguments) {
        List<String> options = List.of(
                "@" + inheritedOptions(),
                "-Xmx256m",
                "-Xss512k",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // Its temporary file would outlive a kill -9.
                "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + files.path());
        boolean packaged = ClassUtils.isPresent(BOOT_LAUNCHER, ClassLoader.getSystemClassLoader());
        String main = packaged ? BOOT_LAUNCHER : DemoApp.class.getName();
        List<String> command = new ArrayList<>(List.of("sh", "-c", WITH_ERRORS_IN_FILE, errors().toString(), "env"));
        System.getenv().keySet().stream()
                .filter(ChildProgram::isSettingOfThisJvm)
                .forEach(variable -> command.addAll(List.of("-u", variable)));
        command.addAll(ChildJvm.command(Jdks.own(), options, main, arguments.toArray(String[]::new)));
        return command;
    }

    /** In a file that only this user may read: a list of processes would show the password of a trust store. */
    private Path inheritedOptions() {
        String options = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(ChildProgram::isInherited)
                .map(ChildProgram::quoted)
                .collect(Collectors.joining("\n"));
        try {
            return Files.writeString(
                    files.path().resolve("options"), options, Charset.forName(System.getProperty("native.encoding")));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static boolean isInherited(String option) {
        String name = option.startsWith(PROPERTY) ? option.substring(PROPERTY.length()) : "";
        return !name.isEmpty() && !name.startsWith(JMX) && !isSettingOfThisJvm(name);
    }

    /** As an argument file of {@code java} needs it. */
    static String quoted(String option) {
        return '"' + option.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    private Path errors() {
        return files.path().resolve("errors.log");
    }
}
