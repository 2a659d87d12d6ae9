package io.github.lockstarter.kit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary directory that is deleted on close and at the end of this JVM, even if it is killed. */
public final class ScratchDirectory implements AutoCloseable {

    /** Waits for the end of this JVM; retries because other processes may still write while they end. */
    private static final String GUARD = "trap '' INT HUP TERM; read -r _; until rm -rf \"$1\"; do sleep 0.1; done";

    private final Path path;
    private final Process guard;

    private ScratchDirectory(Path path, Process guard) {
        this.path = path;
        this.guard = guard;
    }

    /** Creates a directory; close it. */
    public static ScratchDirectory create(String prefix) {
        try {
            Path path = Files.createTempDirectory(prefix);
            Process guard = new ProcessBuilder("sh", "-c", GUARD, "guard", path.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new ScratchDirectory(path, guard);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not make a temporary directory", e);
        }
    }

    public Path path() {
        return path;
    }

    /** Deletes the directory; retries because a process that is ending may still write. */
    @Override
    public void close() {
        if (!Polling.until(this::remove)) {
            throw new IllegalStateException("Could not remove " + path);
        }
        guard.destroyForcibly();
    }

    private boolean remove() {
        if (!Files.exists(path)) {
            return true;
        }
        try (Stream<Path> files = Files.walk(path)) {
            List<Path> innermostFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : innermostFirst) {
                Files.deleteIfExists(file);
            }
            return true;
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }
}
