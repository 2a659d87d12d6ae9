package io.github.lockstarter.kit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Files of programs that are unpacked once for several JVMs, in the directory {@code lock.test.servers} or that for
 * temporary files.
 */
public final class UnpackedFiles {

    private UnpackedFiles() {}

    /** Returns the directory for all programs. */
    public static Path directory() {
        String name = System.getProperty("lock.test.servers", System.getProperty("java.io.tmpdir"));
        try {
            return Files.createDirectories(Path.of(name));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not make " + name, e);
        }
    }

    /**
     * Returns the files of one program.
     *
     * @param unpack fills a temporary directory, which is renamed when complete
     */
    public static synchronized Path of(String program, Consumer<Path> unpack) {
        Path target = directory().resolve(program);
        try (FileChannel file = FileChannel.open(
                        directory().resolve(program + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock alone = file.lock()) {
            if (alone.isValid() && !Files.exists(target)) {
                Path part = Files.createTempDirectory(directory(), program + ".part-");
                try {
                    unpack.accept(part);
                    Files.move(part, target);
                } catch (Throwable e) {
                    deleteAll(part);
                    throw e;
                }
            }
            return target;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not unpack " + program, e);
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
