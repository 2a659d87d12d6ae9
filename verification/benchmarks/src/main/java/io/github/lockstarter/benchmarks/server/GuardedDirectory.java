package io.github.lockstarter.benchmarks.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The directory of a server that another program starts. With {@link #close}, and with this JVM however that ends, a
 * shell that holds the other end of a pipe from here ends the server and removes the directory.
 */
final class GuardedDirectory implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** An interrupt from the keyboard, which meets all processes, is no reason to end before the JVM does. */
    private static final String GUARD = "trap '' INT HUP; read -r _; cd \"$1\" && eval \"$2\"; cd / && rm -rf \"$1\"";

    private final Path path;
    private final Process guard;

    private GuardedDirectory(Path path, Process guard) {
        this.path = path;
        this.guard = guard;
    }

    /**
     * Makes a directory.
     *
     * @param prefix of its name
     * @param end command of the shell that ends the server; run in the directory
     */
    static GuardedDirectory create(String prefix, String end) throws IOException {
        Path path = Files.createTempDirectory(prefix);
        Process guard = new ProcessBuilder("sh", "-c", GUARD, "guard", path.toString(), end)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new GuardedDirectory(path, guard);
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            guard.getOutputStream().close();
            guard.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new IllegalStateException("Could not end the guard of " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
