package io.github.lockstarter.redis.testing;

import io.github.lockstarter.testing.ScratchDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The wall clock of one real server, which a test sets while the server runs. A library that is preloaded into the
 * server adds to the clock what stands in a file ({@code shifted-clock.c}); {@code gcc} builds it.
 *
 * <p>The binary of {@code embedded-redis} is linked statically, and nothing can be preloaded into it. Name another
 * {@code redis-server}, such as that of a Linux distribution, by {@code -Dlock.test.redis-server=…}, or have it on the
 * {@code PATH}:
 *
 * <pre>{@code
 * try (ShiftedClock clock = ShiftedClock.create(); RedisServer server = clock.startServer()) {
 *     clock.set(Duration.ofSeconds(31));
 * }
 * }</pre>
 */
public final class ShiftedClock implements AutoCloseable {

    private static final String BINARY = "redis-server";
    private static final String SOURCE = "shifted-clock.c";

    private final ScratchDirectory directory = ScratchDirectory.create("lock-starter-clock-");
    private final Path offset = directory.path().resolve("ahead");
    private final Path library = directory.path().resolve("shifted-clock.so");

    private ShiftedClock() {}

    /**
     * A clock that is right, until it is set.
     *
     * @return the clock; close it after the server
     * @throws IllegalStateException when there is no {@code gcc}, or no server that takes the library
     */
    public static ShiftedClock create() {
        ShiftedClock clock = new ShiftedClock();
        try {
            clock.set(Duration.ZERO);
            clock.build();
            return clock;
        } catch (RuntimeException e) {
            clock.close();
            throw e;
        }
    }

    /**
     * Whether this machine has what {@link #create} needs.
     *
     * @return whether there are a {@code gcc} and a {@code redis-server} beside the one of {@code embedded-redis}
     */
    public static boolean isAvailable() {
        return server() != null && onPath("gcc") != null;
    }

    /**
     * Starts a server that goes by this clock, also after a restart.
     *
     * @param arguments as {@link RedisServer#start}
     * @return the running server; close it
     */
    public RedisServer startServer(String... arguments) {
        return EmbeddedRedisServer.startProgram(program(), arguments);
    }

    /**
     * Sets the clock, also of a server that runs.
     *
     * @param ahead how far ahead of the right time; negative for behind
     */
    public void set(Duration ahead) {
        ByteBuffer nanos = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        nanos.putLong(0, ahead.toNanos());
        try (FileChannel file = FileChannel.open(offset, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(nanos, 0);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write " + offset, e);
        }
    }

    @Override
    public void close() {
        directory.close();
    }

    /** The beginning of the command line of a server that goes by this clock; its arguments follow. */
    List<String> program() {
        Path server = server();
        if (server == null) {
            throw new IllegalStateException("No " + BINARY
                    + " that a library can be preloaded into: name one by -Dlock.test.redis-server, such as that of a"
                    + " Linux distribution");
        }
        return List.of("env", "LD_PRELOAD=" + library, "LOCK_TEST_CLOCK=" + offset, server.toString());
    }

    private void build() {
        Path source = directory.path().resolve(SOURCE);
        Path log = directory.path().resolve("gcc.log");
        try (InputStream text = ShiftedClock.class.getResourceAsStream(SOURCE)) {
            if (text == null) {
                throw new IllegalStateException("No " + SOURCE + " among the test resources");
            }
            Files.copy(text, source);
            Process gcc = new ProcessBuilder(
                            "gcc",
                            "-O1",
                            "-Wall",
                            "-fno-builtin",
                            "-shared",
                            "-fPIC",
                            "-o",
                            library.toString(),
                            source.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            if (!gcc.waitFor(1, TimeUnit.MINUTES) || gcc.exitValue() != 0) {
                gcc.destroyForcibly();
                throw new IllegalStateException("gcc did not build " + SOURCE + ":\n" + Files.readString(log));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not build " + SOURCE + " with gcc", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while gcc ran", e);
        }
    }

    private static @Nullable Path server() {
        String named = System.getProperty("lock.test.redis-server");
        return named == null || named.isBlank() ? onPath(BINARY) : Path.of(named);
    }

    private static @Nullable Path onPath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }
}
