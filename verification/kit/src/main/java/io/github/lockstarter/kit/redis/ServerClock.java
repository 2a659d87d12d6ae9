package io.github.lockstarter.kit.redis;

import io.github.lockstarter.kit.process.GuardedProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Shifts or stops the wall clock of one running {@code redis-server}. Its monotonic clock and all other programs are
 * not affected.
 *
 * <p>Nothing that a fresh machine has does this: a time namespace ({@code unshare --time}) shifts the monotonic clock
 * and that since boot only, and the bundled server is linked statically, so a library cannot be preloaded. A proxy or a
 * changed script could replace the answer of {@code TIME} but not the clock by which the server ends leases, and the
 * simulation's virtual time runs no server.
 *
 * <p>The server reads the time through {@code __vdso_clock_gettime}, which the kernel maps into each process (vDSO).
 * This class overwrites that function in the memory of the process with one that makes the system call and adds an
 * offset, or returns a constant. A restart undoes this.
 */
final class ServerClock {

    private static final String FUNCTION = "__vdso_clock_gettime";

    /** Followed by the offset: seconds, then nanoseconds below one second, 8 bytes each. */
    private static final byte[] CODE = bytes(
            0xb8, 0xe4, 0x00, 0x00, 0x00, // mov eax, 228: clock_gettime
            0x0f, 0x05, // syscall
            0x85, 0xc0, // test eax, eax
            0x75, 0x35, // jne to the end: it has failed
            0x85, 0xff, // test edi, edi
            0x74, 0x05, // je to the addition: CLOCK_REALTIME
            0x83, 0xff, 0x05, // cmp edi, 5: CLOCK_REALTIME_COARSE
            0x75, 0x2c, // jne to the end: another clock
            0x48, 0x8b, 0x15, 0x2d, 0x00, 0x00, 0x00, // mov rdx, [seconds of the offset]
            0x48, 0x01, 0x16, // add [rsi], rdx
            0x48, 0x8b, 0x15, 0x2b, 0x00, 0x00, 0x00, // mov rdx, [nanoseconds of the offset]
            0x48, 0x03, 0x56, 0x08, // add rdx, [rsi + 8]
            0x48, 0x81, 0xfa, 0x00, 0xca, 0x9a, 0x3b, // cmp rdx, 1000000000
            0x72, 0x0a, // jb to the last mov
            0x48, 0x81, 0xea, 0x00, 0xca, 0x9a, 0x3b, // sub rdx, 1000000000
            0x48, 0xff, 0x06, // inc [rsi]
            0x48, 0x89, 0x56, 0x08, // mov [rsi + 8], rdx
            0xc3, // ret: the end
            0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90);

    /** Position of the addition of seconds. */
    private static final int ADDS_SECONDS = 27;

    /** Position of the addition of nanoseconds. */
    private static final int ADDS_NANOSECONDS = 37;

    /** Stores the constant in place of adding the offset. */
    private static final byte[] CODE_OF_FROZEN = frozen();

    private static final int SIZE = CODE.length + 2 * Long.BYTES;
    private static final int CLOCK_GETTIME = 228;
    private static final int ATTEMPTS = 200;
    private static final long PAUSE_NANOS = 5_000_000;

    private ServerClock() {}

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

        /** Overwrites the first byte of the function with itself. */
        private static void rewrite(Path process) throws IOException {
            long function = functionOf(process);
            try (RandomAccessFile memory = memoryOf(process)) {
                memory.seek(function);
                int first = memory.readUnsignedByte();
                memory.seek(function);
                memory.write(first);
            }
        }
    }

    /**
     * Whether the clock of the bundled server can be changed: on Linux on x86-64, if the kernel permits writing to the
     * memory of child processes, which is the default. Tries it with a shell.
     */
    static boolean isAvailable() {
        return isSupported() && Probe.SUCCEEDED;
    }

    private static boolean isSupported() {
        return System.getProperty("os.name").startsWith("Linux")
                && System.getProperty("os.arch").equals("amd64")
                && !RedisBinary.isNamed();
    }

    static void set(GuardedProcess server, Duration ahead) {
        write(server, CODE, ahead);
    }

    static void freeze(GuardedProcess server, Instant time) {
        write(server, CODE_OF_FROZEN, Duration.between(Instant.EPOCH, time));
    }

    private static void write(GuardedProcess server, byte[] code, Duration value) {
        if (!isSupported()) {
            throw new UnsupportedOperationException(
                    "The clock of the bundled redis-server can be set, on Linux on x86-64 only");
        }
        Path process = Path.of("/proc", Long.toString(server.pid()));
        try {
            long function = functionOf(process);
            try (RandomAccessFile memory = memoryOf(process)) {
                if (!isReplaced(memory, function, code)) {
                    replace(server, memory, function, code);
                }
                memory.seek(function + code.length);
                memory.write(numbers(value));
            }
        } catch (IOException e) {
            throw new UnsupportedOperationException("Could not set the clock of redis-server: " + e.getMessage(), e);
        }
    }

    private static RandomAccessFile memoryOf(Path process) throws IOException {
        return new RandomAccessFile(process.resolve("mem").toFile(), "rw");
    }

    private static long functionOf(Path process) throws IOException {
        VirtualLibrary library = VirtualLibrary.of(process);
        if (library.sizeOf(FUNCTION) < SIZE) {
            throw new IOException("the kernel's function for the time is too short to be replaced");
        }
        return library.addressOf(FUNCTION);
    }

    private static boolean isReplaced(RandomAccessFile memory, long function, byte[] code) throws IOException {
        byte[] found = new byte[code.length];
        memory.seek(function);
        memory.readFully(found);
        return Arrays.equals(found, code);
    }

    /** Writes while the server is stopped outside the function. */
    private static void replace(GuardedProcess server, RandomAccessFile memory, long function, byte[] code)
            throws IOException {
        Path process = Path.of("/proc", Long.toString(server.pid()));
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            server.pause();
            try {
                if (isInSystemCalls(process)) {
                    memory.seek(function);
                    memory.write(ByteBuffer.allocate(SIZE).put(code).array());
                    return;
                }
            } finally {
                server.resume();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        throw new IOException("a thread of it is always in the middle of something");
    }

    /** Whether all threads are in a system call other than that of the function. */
    private static boolean isInSystemCalls(Path process) throws IOException {
        try (Stream<Path> threads = Files.list(process.resolve("task"))) {
            return threads.map(ServerClock::systemCall)
                    .noneMatch(call -> call.startsWith("running")
                            || call.startsWith("-1 ")
                            || call.startsWith(CLOCK_GETTIME + " "));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Starts with the number of the system call, -1 outside of one, or "running". */
    private static String systemCall(Path thread) {
        try {
            return Files.readString(thread.resolve("syscall"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] numbers(Duration value) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value.getSeconds())
                .putLong(value.getNano())
                .array();
    }

    private static byte[] frozen() {
        ByteBuffer code = ByteBuffer.wrap(CODE.clone());
        code.put(ADDS_SECONDS, bytes(0x48, 0x89, 0x16)); // mov [rsi], rdx
        code.put(ADDS_NANOSECONDS, bytes(0x0f, 0x1f, 0x40, 0x00)); // nop
        return code.array();
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
