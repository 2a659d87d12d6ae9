package io.github.lockstarter.kit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary directory that is removed when it is closed, or when this JVM ends, however it ends. */
public final class ScratchDirectory implements AutoCloseable {

    /** Reads the end of a pipe from this JVM; processes that are ending may still write to the directory. */
    private static final String GUARD = "trap '' INT HUP; read -r _; until rm -rf \"$1\"; do sleep 0.1; done";

    private final Path path;
    private final Process guard;

    private ScratchDirectory(Path path, Process guard) {
        this.path = path;
        this.guard = guard;
    }

    /**
     * Makes a directory.
     *
     * @param prefix of its name
     * @return the directory; close it
     */
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

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** Removes everything; a process that is just ending may still write, so this tries for a while. */
    @Override
    public void close() {
        if (!Patience.until(this::remove)) {
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
