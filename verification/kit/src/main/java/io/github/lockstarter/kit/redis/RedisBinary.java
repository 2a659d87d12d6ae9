package io.github.lockstarter.kit.redis;

import io.github.lockstarter.kit.process.UnpackedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The {@code redis-server} binary named by {@code -Dlock.test.redis-server=…} (6.0 or later), or else the one in the
 * {@code embedded-redis} jar, unpacked once per machine and user.
 */
final class RedisBinary {

    private static final String NAMED = System.getProperty("lock.test.redis-server", "");
    private static final String BUNDLED = "7.0.15";
    private static final String BUNDLED_FILE = "redis-server-" + BUNDLED + "-" + platform();
    private static final Pattern VERSION = Pattern.compile("v=(\\d+)\\.(\\d+)\\.");
    private static @Nullable Path unpacked;
    private static @Nullable Version version;

    private RedisBinary() {}

    static boolean isNamed() {
        return !NAMED.isBlank();
    }

    /** Whether a binary is named or bundled for this platform. */
    static boolean isAvailable() {
        return isNamed() || RedisBinary.class.getClassLoader().getResource(BUNDLED_FILE) != null;
    }

    static synchronized Path path() {
        if (isNamed()) {
            return Path.of(NAMED);
        }
        if (unpacked == null) {
            unpacked = unpack(BUNDLED_FILE);
        }
        return unpacked;
    }

    /** Compares versions; Valkey continues from Redis 7.2. */
    static boolean isBefore(int major, int minor) {
        Version its = version();
        return its.major() < major || (its.major() == major && its.minor() < minor);
    }

    /** Whether the binary has a text; a script that starts another one has none. */
    static boolean has(String text) {
        return placeOf(text, content()) >= 0;
    }

    /** Writes the binary with the first occurrence of a text replaced by another one of the same length. */
    static Path altered(Path directory, String text, String replacement) {
        byte[] content = content();
        byte[] bytes = replacement.getBytes(StandardCharsets.ISO_8859_1);
        int place = placeOf(text, content);
        if (place < 0 || text.length() != bytes.length) {
            throw new IllegalArgumentException("No '" + text + "' of " + bytes.length + " characters in " + path());
        }
        System.arraycopy(bytes, 0, content, place, bytes.length);
        try {
            Path altered = Files.write(directory.resolve("redis-server"), content);
            return Files.setPosixFilePermissions(altered, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write a copy of " + path(), e);
        }
    }

    private static int placeOf(String text, byte[] content) {
        return new String(content, StandardCharsets.ISO_8859_1).indexOf(text);
    }

    private static byte[] content() {
        try {
            return Files.readAllBytes(path());
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + path(), e);
        }
    }

    private static synchronized Version version() {
        if (version == null) {
            String text = isNamed() ? outputOf(NAMED, "--version") : "v=" + BUNDLED;
            Matcher matcher = VERSION.matcher(text);
            if (!matcher.find()) {
                throw new IllegalStateException(NAMED + " --version prints no version: " + text);
            }
            version = new Version(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
        }
        return version;
    }

    private static String outputOf(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not run " + String.join(" ", command), e);
        }
    }

    private record Version(int major, int minor) {}

    private static Path unpack(String resource) {
        try (InputStream content = RedisBinary.class.getClassLoader().getResourceAsStream(resource)) {
            if (content == null) {
                throw new IllegalStateException("The class path has no " + resource + " of embedded-redis."
                        + " Name another redis-server by -Dlock.test.redis-server=/path/to/redis-server");
            }
            Path directory = UnpackedFiles.directory().resolve("lock-kit-redis-" + System.getProperty("user.name"));
            Files.createDirectories(directory);
            Path target = directory.resolve(resource);
            byte[] bytes = content.readAllBytes();
            if (!Files.isExecutable(target) || Files.size(target) != bytes.length) {
                // Moved into place, since a file that is open for writing cannot be executed.
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
