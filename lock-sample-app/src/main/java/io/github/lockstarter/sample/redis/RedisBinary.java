package io.github.lockstarter.sample.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * A redis-server executable on the class path, built for one operating system and processor.
 *
 * @param resource its name there
 */
record RedisBinary(String resource) {

    /** Version of the bundled servers. */
    static final String VERSION = "7.0.15";

    /** The binary for this machine; empty where none is bundled. */
    static Optional<RedisBinary> forThisMachine() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static Optional<RedisBinary> of(String osName, String osArch) {
        return system(osName)
                .flatMap(system ->
                        processor(osArch).map(processor -> "redis-server-" + VERSION + "-" + system + "-" + processor))
                .map(RedisBinary::new)
                .filter(RedisBinary::isBundled);
    }

    /** Writes the executable to a file. */
    void extractTo(Path file) throws IOException {
        try (InputStream content = RedisBinary.class.getClassLoader().getResourceAsStream(resource)) {
            if (content == null) {
                throw new IOException("No " + resource + " on the class path");
            }
            Files.copy(content, file);
        }
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("Could not make " + file + " executable");
        }
    }

    private boolean isBundled() {
        return RedisBinary.class.getClassLoader().getResource(resource) != null;
    }

    private static Optional<String> system(String osName) {
        String name = osName.toLowerCase(Locale.ROOT);
        if (name.startsWith("linux")) {
            return Optional.of("linux");
        }
        return name.startsWith("mac") ? Optional.of("darwin") : Optional.empty();
    }

    private static Optional<String> processor(String osArch) {
        return switch (osArch.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> Optional.of("amd64");
            case "aarch64", "arm64" -> Optional.of("arm64");
            case "x86", "i386", "i686" -> Optional.of("386");
            default -> Optional.empty();
        };
    }
}
