package io.github.lockstarter.demo.process;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.kit.process.GuardedProcess;
import io.github.lockstarter.kit.process.ScratchDirectory;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program of this application in a JVM of its own, from the same jar or class path. It can be killed and started
 * again, and ends with this JVM, however that ends. Its standard output is read line by line; its errors go to a file.
 *
 * <p>Thread-safe, as long as one thread at a time starts and ends it.
 */
public final class ChildProgram implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ChildProgram.class);
    private static final String BOOT_LAUNCHER = "org.springframework.boot.loader.launch.JarLauncher";
    private static final String WITH_ERRORS_IN_FILE = "exec \"$@\" 2>>\"$0\"";
    private static final int SHOWN_ERRORS = 40;
    private static final long END_MS = 10_000;

    private static final Set<String> JVM_OPTIONS = Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");
    /** Spring Boot leaves dashes out of the names of variables, and knows them as underscores, too. */
    private static final List<String> SETTINGS =
            List.of("SPRING_", "SERVER_", "DISTRIBUTED_LOCK_", "DISTRIBUTEDLOCK_", "DEMO_", "MANAGEMENT_", "LOGGING_");

    private final String name;
    private final String program;
    private final List<String> arguments;
    private final Consumer<String> output;
    private final Runnable ended;
    private final ScratchDirectory files;
    private volatile @Nullable Running running;
    private boolean closed;

    /**
     * A program that does not run yet.
     *
     * @param name in messages and in the name of its directory
     * @param program first argument of {@link DemoApp}
     * @param arguments further ones
     * @param output is given each line that the program prints, on a thread that it must not hold up
     * @param ended runs on the same thread when the program has ended
     */
    public ChildProgram(String name, String program, List<String> arguments, Consumer<String> output, Runnable ended) {
        this.name = name;
        this.program = program;
        this.arguments = List.copyOf(arguments);
        this.output = output;
        this.ended = ended;
        this.files = ScratchDirectory.create("lock-demo-" + name + "-");
    }

    private record Running(GuardedProcess process, Thread reader) {}

    /**
     * Starts the program.
     *
     * @param options of the JVM
     * @throws IllegalStateException when it runs already, or is closed
     */
    public synchronized void start(String... options) {
        if (closed || isRunning()) {
            throw new IllegalStateException(name + (closed ? " is closed" : " runs already"));
        }
        List<String> command = new ArrayList<>(List.of("sh", "-c", WITH_ERRORS_IN_FILE, errors().toString()));
        command.addAll(command(options));
        GuardedProcess process = startPiped(command);
        Thread reader = new Thread(() -> read(process), "output-of-" + name);
        reader.setDaemon(true);
        running = new Running(process, reader);
        reader.start();
    }

    private GuardedProcess startPiped(List<String> command) {
        try {
            Files.deleteIfExists(files.path().resolve("input"));
            return GuardedProcess.startPiped(files.path(), command);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Whether it runs, paused or not. */
    public boolean isRunning() {
        Running now = running;
        return now != null && now.process().isAlive();
    }

    /** Its process id, zero while it does not run. */
    public long pid() {
        Running now = running;
        return now != null && now.process().isAlive() ? now.process().pid() : 0;
    }

    /** Sends a line to its standard input. */
    public void send(String line) {
        process().send(line);
    }

    /** Stops it where it is (SIGSTOP): connections stay open, and it does not know. */
    public void pause() {
        process().pause();
    }

    /** Lets it go on (SIGCONT). */
    public void resume() {
        process().resume();
    }

    /** Ends it at once (SIGKILL), and waits until it and its output have ended. */
    public void kill() {
        Running now = running;
        if (now == null) {
            return;
        }
        now.process().kill();
        try {
            if (Thread.currentThread() != now.reader()) {
                now.reader().join(END_MS);
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    /** The last lines that it has written to its standard error. */
    public String lastErrors() {
        try {
            List<String> lines = Files.readAllLines(errors());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_ERRORS), lines.size()));
        } catch (IOException unreadable) {
            return "its log cannot be read: " + unreadable.getMessage();
        }
    }

    /** Ends it, and removes its files. Harmless when repeated. */
    @Override
    public synchronized void close() {
        closed = true;
        kill();
        files.close();
    }

    /** What was set for this JVM would take precedence over the settings of its child. */
    static boolean isSettingOfThisJvm(String variable) {
        String name = variable.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
        return JVM_OPTIONS.contains(name) || SETTINGS.stream().anyMatch(name::startsWith);
    }

    private GuardedProcess process() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException(name + " has not been started");
        }
        return now.process();
    }

    private void read(GuardedProcess process) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.output(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                pass(line);
            }
        } catch (IOException closed) {
            // It has ended.
        }
        ended.run();
    }

    /** A killed program may have left half a line, which nobody understands. */
    private void pass(String line) {
        try {
            output.accept(line);
        } catch (RuntimeException notUnderstood) {
            log.debug("{} has printed '{}'", name, line, notUnderstood);
        }
    }

    private List<String> command(String... options) {
        List<String> command = new ArrayList<>(List.of("env"));
        System.getenv().keySet().stream()
                .filter(ChildProgram::isSettingOfThisJvm)
                .forEach(variable -> command.addAll(List.of("-u", variable)));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-Xss512k",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // Its file in the temporary directory would outlive a kill -9.
                "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + files.path()));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath(), isPackaged() ? BOOT_LAUNCHER : DemoApp.class.getName(), program));
        command.addAll(arguments);
        return command;
    }

    private Path errors() {
        return files.path().resolve("errors.log");
    }

    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isPackaged() {
        return DemoApp.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()
                .contains("BOOT-INF");
    }
}
