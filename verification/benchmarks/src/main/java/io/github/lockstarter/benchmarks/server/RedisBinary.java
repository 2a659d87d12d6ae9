package io.github.lockstarter.benchmarks.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The {@code redis-server} binary that travels in the {@code embedded-redis} jar. */
final class RedisBinary {

    private static final String VERSION = "7.0.15";

    private RedisBinary() {}

    /** Unpacks it as an executable file. */
    static Path unpackTo(Path directory) throws IOException {
        String resource = "redis-server-" + VERSION + "-" + platform();
        try (InputStream content = RedisBinary.class.getClassLoader().getResourceAsStream(resource)) {
            if (content == null) {
                throw new IllegalStateException("The embedded-redis jar has no " + resource + " for this machine");
            }
            Path binary = directory.resolve("redis-server");
            Files.copy(content, binary);
            if (!binary.toFile().setExecutable(true)) {
                throw new IOException("Could not make " + binary + " executable");
            }
            return binary;
        }
    }

    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        boolean arm = processor.equals("aarch64") || processor.equals("arm64");
        return (system.contains("mac") ? "darwin" : "linux") + "-" + (arm ? "arm64" : "amd64");
    }
}
