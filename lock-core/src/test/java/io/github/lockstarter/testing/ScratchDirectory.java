package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary directory that goes with its owner. */
public final class ScratchDirectory implements AutoCloseable {

    private final Path path;

    private ScratchDirectory(Path path) {
        this.path = path;
    }

    public static ScratchDirectory create(String prefix) {
        try {
            return new ScratchDirectory(Files.createTempDirectory(prefix));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not make a temporary directory", e);
        }
    }

    public Path path() {
        return path;
    }

    /** Removes everything; a process that is just ending may still write, so it is tried for a while. */
    @Override
    public void close() {
        if (!Patience.until(this::remove)) {
            throw new IllegalStateException("Could not remove " + path);
        }
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
