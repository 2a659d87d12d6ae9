package io.github.lockstarter.sample.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/**
 * A program in a directory of its own. It can be killed and started again; program and directory are gone after
 * {@link #close()}, and after this JVM however that ends: a shell script watches a pipe from this process
 * ({@code supervise.sh}).
 *
 * <p>Thread-safe. The one mutable field is {@code life}, which {@link #start()} replaces, one caller at a time, and the
 * thread that reads the script's output completes. The program never runs twice: {@code start} refuses it, and so does
 * the script.
 */
public final class SupervisedProcess implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SupervisedProcess.class);
    private static final String STARTED = "started ";
    private static final String ENDED = "ended ";
    private static final byte[] START = "start\n".getBytes(StandardCharsets.US_ASCII);
    private static final long PATIENCE_SECONDS = 10;
    private static final Set<String> JVM_OPTIONS = Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    /** Spring Boot leaves dashes out of the names of variables, and knows them as underscores, too. */
    private static final List<String> SETTINGS = List.of(
            "SPRING_",
            "SERVER_",
            "DISTRIBUTED_LOCK_",
            "DISTRIBUTEDLOCK_",
            "DEMO_",
            "SAMPLE_",
            "MANAGEMENT_",
            "LOGGING_");

    private final String name;
    private final Path directory;
    private final Process supervisor;
    private final Consumer<String> output;
    private final ReentrantLock starting = new ReentrantLock();
    private final AtomicReference<Life> life = new AtomicReference<>(new Life());

    private SupervisedProcess(String name, Path directory, Process supervisor, Consumer<String> output) {
        this.name = name;
        this.directory = directory;
        this.supervisor = supervisor;
        this.output = output;
    }

    /** From one start of the program to its end. */
    private record Life(CompletableFuture<Long> pid, CompletableFuture<Integer> end) {

        Life() {
            this(new CompletableFuture<>(), new CompletableFuture<>());
        }
    }

    /**
     * Makes the directory. The program does not run yet, so that its files can be put there.
     *
     * @param name what it is called in messages, and in the name of the directory
     * @param command the program and its arguments, for a given directory
     * @param output is given each line that the program prints, on a thread that it must not hold up
     * @return the process; close it
     * @throws IOException when the directory cannot be made
     */
    public static SupervisedProcess prepare(String name, Function<Path, List<String>> command, Consumer<String> output)
            throws IOException {
        Path directory = Files.createTempDirectory("lock-sample-" + name + "-");
        Process supervisor;
        try {
            supervisor = supervise(name, directory, command.apply(directory));
        } catch (IOException | RuntimeException failure) {
            Files.delete(directory);
            throw failure;
        }
        SupervisedProcess process = new SupervisedProcess(name, directory, supervisor, output);
        Thread reader = new Thread(process::read, "output-of-" + name);
        reader.setDaemon(true);
        reader.start();
        return process;
    }

    /**
     * Where the program has its files.
     *
     * @return a directory that only this program uses
     */
    public Path directory() {
        return directory;
    }

    /**
     * Starts the program. Whether it is ready for anything is not known here.
     *
     * @throws IOException when it runs or is being started, when the process is closed, or when it does not begin
     */
    public void start() throws IOException {
        if (!starting.tryLock()) {
            throw new IOException(name + " is being started already");
        }
        try {
            if (isRunning()) {
                throw new IOException(name + " runs already; end it first");
            }
            Life begun = new Life();
            life.set(begun);
            OutputStream orders = supervisor.getOutputStream();
            orders.write(START);
            orders.flush();
            await(begun.pid(), "start");
        } finally {
            starting.unlock();
        }
    }

    /**
     * Whether the program runs; a stopped one (SIGSTOP) does.
     *
     * @return false before the first start, and once it has ended
     */
    public boolean isRunning() {
        Life current = life();
        return current.pid().isDone() && !current.end().isDone();
    }

    /**
     * The program's process id.
     *
     * @return that of the newest start
     * @throws IllegalStateException before the first start
     */
    public long pid() {
        Long pid = life().pid().getNow(null);
        if (pid == null) {
            throw new IllegalStateException(name + " has not been started");
        }
        return pid;
    }

    /**
     * Sends the program a signal.
     *
     * @param signal such as {@code STOP}
     * @throws IOException when that is not possible
     */
    public void signal(String signal) throws IOException {
        Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + pid()).start();
        await(kill.onExit(), "get signal " + signal);
        if (kill.exitValue() != 0) {
            throw new IOException(name + " did not get signal " + signal + ": it has ended");
        }
    }

    /**
     * Ends the program at once (SIGKILL), and waits until it is gone. It can be started again.
     *
     * @throws IOException when it does not end
     */
    public void kill() throws IOException {
        if (isRunning()) {
            ProcessHandle.of(pid()).ifPresent(ProcessHandle::destroyForcibly);
            await(life().end(), "end");
        }
    }

    /**
     * Completes when the program that was started last has ended.
     *
     * @return its exit status
     */
    public CompletableFuture<Integer> end() {
        return life().end().copy();
    }

    /** Ends the program and removes the directory; waits for both. Harmless when repeated. */
    @Override
    public void close() {
        try {
            supervisor.getOutputStream().close();
            if (!supervisor.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(name + " did not stop within " + PATIENCE_SECONDS
                        + "s; end its processes by hand, and remove " + directory);
            }
            endWithoutSupervisor();
        } catch (IOException failure) {
            throw new UncheckedIOException("Could not tell " + name + " to stop", failure);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    /** A supervisor that was killed has left the program and its directory. */
    private void endWithoutSupervisor() throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        if (isRunning()) {
            ProcessHandle.of(pid()).ifPresent(SupervisedProcess::destroyTree);
        }
        FileSystemUtils.deleteRecursively(directory);
    }

    private static void destroyTree(ProcessHandle program) {
        Stream.concat(Stream.of(program), program.descendants().toList().stream())
                .map(process -> {
                    process.destroyForcibly();
                    return process.onExit();
                })
                .toList()
                .forEach(end -> end.completeOnTimeout(program, PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .join());
    }

    private static Process supervise(String name, Path directory, List<String> command) throws IOException {
        List<String> supervised =
                new ArrayList<>(List.of("/bin/sh", "-c", script(), "supervise " + name, directory.toString()));
        supervised.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(supervised).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeIf(SupervisedProcess::isSettingOfThisJvm);
        return builder.start();
    }

    /** What was set for this JVM would beat the settings of an instance of it. */
    static boolean isSettingOfThisJvm(String variable) {
        String name = variable.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
        return JVM_OPTIONS.contains(name) || SETTINGS.stream().anyMatch(name::startsWith);
    }

    private Life life() {
        return Objects.requireNonNull(life.get());
    }

    private void read() {
        try (BufferedReader lines = supervisor.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                read(line);
            }
        } catch (IOException closed) {
            // The supervisor is gone; so is the program.
        }
        IOException ended = new IOException(name + " has been closed");
        life().pid().completeExceptionally(ended);
        life().end().completeExceptionally(ended);
    }

    private void read(String line) {
        if (line.startsWith(STARTED)) {
            life().pid().complete(Long.valueOf(line.substring(STARTED.length())));
        } else if (line.startsWith(ENDED)) {
            life().end().complete(Integer.valueOf(line.substring(ENDED.length())));
        } else if (!line.isEmpty()) {
            pass(line);
        }
    }

    /** A killed program may have left half a line, which nobody understands. */
    private void pass(String line) {
        try {
            output.accept(line);
        } catch (RuntimeException notUnderstood) {
            log.debug("{} has printed '{}'", name, line, notUnderstood);
        }
    }

    private void await(CompletableFuture<?> answer, String what) throws IOException {
        try {
            answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            throw new IOException(name + " did not " + what, failure.getCause());
        } catch (TimeoutException late) {
            throw new IOException(name + " did not " + what + " within " + PATIENCE_SECONDS + "s", late);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while " + name + " was to " + what, interrupt);
        }
    }

    private static String script() throws IOException {
        try (InputStream content = SupervisedProcess.class.getResourceAsStream("supervise.sh")) {
            if (content == null) {
                throw new IOException("No supervise.sh on the class path");
            }
            return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
