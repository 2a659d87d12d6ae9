package io.github.lockstarter.sample.redis;

import io.github.lockstarter.sample.SimulatedWork;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The wall clock of one running redis-server, set forward or back while that of the machine, and of every other
 * program, stays. The monotonic clock stays as well.
 *
 * <p>The bundled server is linked statically, so that no library can be preloaded into it. It asks for the time by a
 * function that the kernel maps into each process (vDSO), {@code __vdso_clock_gettime}. That function is replaced, in
 * the memory of this one process, by one that asks the kernel and adds a number of seconds. A restarted server has the
 * clock of the machine again.
 *
 * <p>Thread-safe as far as one thread at a time moves the clock of a server.
 */
public final class MovableClock {

    private static final String FUNCTION = "__vdso_clock_gettime";

    /** After them come the seconds to add, 8 bytes. */
    private static final byte[] CODE = bytes(
            0xb8, 0xe4, 0x00, 0x00, 0x00, // mov eax, 228: clock_gettime
            0x0f, 0x05, // syscall
            0x85, 0xc0, // test eax, eax
            0x75, 0x13, // jne to the end: it has failed
            0x85, 0xff, // test edi, edi
            0x74, 0x05, // je to the addition: CLOCK_REALTIME
            0x83, 0xff, 0x05, // cmp edi, 5: CLOCK_REALTIME_COARSE
            0x75, 0x0a, // jne to the end: another clock
            0x48, 0x8b, 0x15, 0x05, 0x00, 0x00, 0x00, // mov rdx, [seconds to add]
            0x48, 0x01, 0x16, // add [rsi], rdx
            0xc3, // ret: the end
            0x90);

    private static final int CLOCK_GETTIME = 228;
    private static final int ATTEMPTS = 200;
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final EmbeddedRedis redis;

    private MovableClock(EmbeddedRedis redis) {
        this.redis = redis;
    }

    /**
     * Whether clocks can be moved on this machine: Linux on x86-64, with a kernel that lets this program write into the
     * memory of those that it has started, as it does by default. Tried out with a shell that waits for input; nothing
     * is changed in it.
     *
     * @return false where {@link #set} would fail
     */
    public static boolean available() {
        return isSupported() && Probe.SUCCEEDED;
    }

    /** Tried once. */
    private static final class Probe {

        static final boolean SUCCEEDED = tryOut();

        private static boolean tryOut() {
            try {
                Process shell = new ProcessBuilder("/bin/sh", "-c", "read line").start();
                try {
                    rewrite(Path.of("/proc", Long.toString(shell.pid())));
                    return true;
                } finally {
                    shell.destroyForcibly();
                }
            } catch (IOException | RuntimeException refused) {
                return false;
            }
        }

        /** Writes into the function what is there. */
        private static void rewrite(Path process) throws IOException {
            long function = functionOf(process);
            try (RandomAccessFile memory =
                    new RandomAccessFile(process.resolve("mem").toFile(), "rw")) {
                memory.seek(function);
                int first = memory.readUnsignedByte();
                memory.seek(function);
                memory.write(first);
            }
        }
    }

    /**
     * The clock of a server.
     *
     * @param redis the server; it may be restarted, and then has the clock of the machine
     * @return its clock
     */
    public static MovableClock of(EmbeddedRedis redis) {
        return new MovableClock(redis);
    }

    /**
     * Sets the clock.
     *
     * @param ahead how far ahead of the clock of the machine, in whole seconds; negative for behind, zero for right
     * @throws UnsupportedOperationException when clocks cannot be moved here, or the server does not run; the message
     *     says why, and nothing was changed
     */
    public void set(Duration ahead) {
        if (!isSupported()) {
            throw new UnsupportedOperationException("The clock of redis-server can be moved on Linux on x86-64 only");
        }
        Path process = Path.of("/proc", Long.toString(redis.pid()));
        try {
            requireServer(process);
            long function = functionOf(process);
            try (RandomAccessFile memory =
                    new RandomAccessFile(process.resolve("mem").toFile(), "rw")) {
                if (!isReplaced(memory, function)) {
                    replace(process, memory, function);
                }
                memory.seek(function + CODE.length);
                memory.write(number(ahead.toSeconds()));
            }
        } catch (IOException refused) {
            throw new UnsupportedOperationException(
                    "The clock of redis-server " + redis.address() + " could not be moved: " + refused.getMessage(),
                    refused);
        }
    }

    private static long functionOf(Path process) throws IOException {
        VirtualLibrary library = VirtualLibrary.of(process);
        if (library.sizeOf(FUNCTION) < CODE.length + Long.BYTES) {
            throw new IOException("the kernel's function for the time is too short to be replaced");
        }
        return library.addressOf(FUNCTION);
    }

    private static boolean isSupported() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("linux")
                && List.of("amd64", "x86_64").contains(System.getProperty("os.arch"));
    }

    /** The number of a server that has ended may be that of another process by now. */
    private void requireServer(Path process) throws IOException {
        if (!Files.isSameFile(process.resolve("exe"), redis.program())) {
            throw new IOException("process " + redis.pid() + " is another program");
        }
    }

    private static boolean isReplaced(RandomAccessFile memory, long function) throws IOException {
        byte[] code = new byte[CODE.length];
        memory.seek(function);
        memory.readFully(code);
        return Arrays.equals(code, CODE);
    }

    /** While every thread of the server is stopped in a system call: none is in the middle of the function. */
    private void replace(Path process, RandomAccessFile memory, long function) throws IOException {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            redis.signal("STOP");
            try {
                awaitStop(process);
                if (allThreads(process, MovableClock::isInSystemCall)) {
                    memory.seek(function);
                    memory.write(ByteBuffer.allocate(CODE.length + Long.BYTES)
                            .put(CODE)
                            .array());
                    return;
                }
            } finally {
                redis.signal("CONT");
            }
            SimulatedWork.lasting(PAUSE);
        }
        throw new IOException("it never stood still");
    }

    /** The signal reaches each thread at a time of its own. */
    private static void awaitStop(Path process) throws IOException {
        for (int look = 1; !allThreads(process, MovableClock::isStopped); look++) {
            if (look == ATTEMPTS) {
                throw new IOException("it does not stop");
            }
            SimulatedWork.lasting(PAUSE);
        }
    }

    private static boolean allThreads(Path process, Predicate<Path> condition) throws IOException {
        try (Stream<Path> threads = Files.list(process.resolve("task"))) {
            return threads.allMatch(condition);
        } catch (UncheckedIOException refused) {
            throw refused.getCause();
        }
    }

    /** The state comes after the name, which is in parentheses. */
    private static boolean isStopped(Path thread) {
        String state = read(thread.resolve("stat"));
        return state.startsWith(") T ", state.lastIndexOf(')'));
    }

    /**
     * The file has the number of the call, -1 outside of one, or "running". The function itself may make the last one.
     */
    private static boolean isInSystemCall(Path thread) {
        String call = read(thread.resolve("syscall"));
        return !call.startsWith("running") && !call.startsWith("-1 ") && !call.startsWith(CLOCK_GETTIME + " ");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
