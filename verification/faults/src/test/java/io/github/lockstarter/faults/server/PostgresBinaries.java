package io.github.lockstarter.faults.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * The binaries of PostgreSQL for Linux on x86-64, out of their Maven artifact. A server refuses to run for root, so
 * they run in a user namespace of their own then, in which they are nobody.
 *
 * @param directory where they are
 */
record PostgresBinaries(Path directory) {

    private static final String ARCHIVE = "/postgres-linux-x86_64.txz";
    private static final int EXECUTABLE = 0100;

    static PostgresBinaries unpackTo(Path directory) {
        try (InputStream archive = PostgresBinaries.class.getResourceAsStream(ARCHIVE)) {
            if (archive == null) {
                throw new IllegalStateException("No PostgreSQL for this machine on the class path: " + ARCHIVE);
            }
            try (TarArchiveInputStream files = new TarArchiveInputStream(new XZCompressorInputStream(archive))) {
                for (TarArchiveEntry entry = files.getNextEntry(); entry != null; entry = files.getNextEntry()) {
                    unpack(files, entry, directory.resolve(entry.getName()).normalize());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not unpack PostgreSQL", e);
        }
        return new PostgresBinaries(directory);
    }

    private static void unpack(InputStream files, TarArchiveEntry entry, Path target) throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(target);
            return;
        }
        Files.createDirectories(target.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(files, target);
        if ((entry.getMode() & EXECUTABLE) != 0 && !target.toFile().setExecutable(true)) {
            throw new IOException("Could not make " + target + " executable");
        }
    }

    /** The command line of one of the programs. */
    List<String> command(String program, String... arguments) {
        List<String> user = System.getProperty("user.name").equals("root") ? List.of("unshare", "--user") : List.of();
        return Stream.of(user, List.of(directory.resolve("bin").resolve(program).toString()), List.of(arguments))
                .flatMap(List::stream)
                .toList();
    }
}
