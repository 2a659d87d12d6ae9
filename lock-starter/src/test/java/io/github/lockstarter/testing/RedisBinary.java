package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The {@code redis-server} binary that travels in the {@code embedded-redis} jar, unpacked once per machine. */
final class RedisBinary {

    private static final String VERSION = "7.0.15";
    private static @Nullable Path unpacked;

    private RedisBinary() {}

    static synchronized Path path() {
        if (unpacked == null) {
            unpacked = unpack("redis-server-" + VERSION + "-" + platform());
        }
        return unpacked;
    }

    private static Path unpack(String resource) {
        try (InputStream content = RedisBinary.class.getClassLoader().getResourceAsStream(resource)) {
            if (content == null) {
                throw new IllegalStateException("The embedded-redis jar has no " + resource
                        + " for this machine. Run the tests where Docker is");
            }
            Path directory = Path.of(
                    System.getProperty("java.io.tmpdir"),
                    "lock-starter-redis-binary-" + System.getProperty("user.name"));
            Files.createDirectories(directory);
            Path target = directory.resolve(resource);
            byte[] bytes = content.readAllBytes();
            if (!Files.isExecutable(target) || Files.size(target) != bytes.length) {
                // Moved into place, since a file that is still open for writing cannot be started.
                Path part = Files.createTempFile(directory, resource, ".part");
                Files.write(part, bytes);
                Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwx------"));
                Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
            return target;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not unpack " + resource, e);
        }
    }

    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String family = system.contains("mac") ? "darwin" : "linux";
        return family + "-" + (processor.equals("aarch64") || processor.equals("arm64") ? "arm64" : "amd64");
    }
}
