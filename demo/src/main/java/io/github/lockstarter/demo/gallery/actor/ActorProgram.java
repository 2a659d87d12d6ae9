package io.github.lockstarter.demo.gallery.actor;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An actor: {@code java -jar lock-demo.jar gallery-actor <port> <name>}. It connects to the port, reads a command
 * a line, and answers each with a line: the time as {@link System#nanoTime()}, a word, and perhaps a number. At a
 * breakpoint the answer is {@code halted}, and the answer to {@code go} is that of the command. Ends with the
 * connection. Not for use by hand.
 */
public final class ActorProgram {

    /** Wait and lease of a lock under which something is counted. */
    private static final Duration COUNT = Duration.ofSeconds(10);

    private final String name;
    private final BufferedReader commands;
    private final PrintWriter answers;
    private final Breakpoints breakpoints = new Breakpoints(this::halt);
    private @Nullable String opened;
    private @Nullable ActorLock lock;
    private @Nullable Counter counter;
    private String key = "";
    private long value;

    private ActorProgram(String name, BufferedReader commands, PrintWriter answers) {
        this.name = name;
        this.commands = commands;
        this.answers = answers;
    }

    /**
     * Plays until the connection ends.
     *
     * @param arguments port and name
     */
    public static void run(String[] arguments) {
        System.setOut(System.err);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
                BufferedReader commands =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                PrintWriter answers = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8)) {
            socket.setTcpNoDelay(true);
            answers.println(arguments[1]);
            new ActorProgram(arguments[1], commands, answers).run();
        } catch (IOException ended) {
            throw new UncheckedIOException("Actor " + arguments[1] + " ends", ended);
        }
        // A client of Redis may have left a thread.
        System.exit(0);
    }

    private void run() throws IOException {
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            try {
                perform(List.of(line.split(" ")));
            } catch (RuntimeException failure) {
                answer(System.nanoTime(), "failed " + failure.toString().replaceAll("\\s+", " "));
            }
        }
    }

    private void perform(List<String> words) {
        switch (words.get(0)) {
            case "open" -> open(words.subList(1, words.size()));
            case "acquire" ->
                acquire(words.get(1), milliseconds(words.get(2)), milliseconds(words.get(3)), words.get(4));
            case "read" -> read();
            case "write" -> write(words.get(1));
            case "release" -> release(words.get(1));
            case "count" -> count(words.get(1), Integer.parseInt(words.get(2)));
            default -> throw new IllegalArgumentException("Unknown command " + words.get(0));
        }
    }

    private void open(List<String> words) {
        String line = String.join(" ", words);
        if (!line.equals(opened)) {
            close();
            Setting setting = Setting.of(words);
            counter = new Counter(setting.storePort());
            lock = switch (setting.lock()) {
                case NONE -> null;
                case STARTER -> StarterLock.start(setting, breakpoints, "warm-up-" + name);
                default -> PolledLock.of(setting, breakpoints);
            };
            opened = line;
        }
        answer(System.nanoTime(), "opened");
    }

    private void close() {
        opened = null;
        if (lock != null) {
            lock.close();
            lock = null;
        }
        if (counter != null) {
            counter.close();
            counter = null;
        }
    }

    private static Duration milliseconds(String word) {
        return Duration.ofMillis(Long.parseLong(word));
    }

    private void acquire(String wanted, Duration wait, Duration lease, String breakpoint) {
        key = wanted;
        breakpoints.set(breakpoint);
        boolean granted = lock().acquire(wanted, wait, lease);
        answer(System.nanoTime(), granted ? "granted" : "refused");
    }

    private void read() {
        OptionalLong read = counter().read(key, token());
        value = read.orElse(0);
        answer(System.nanoTime(), read.isPresent() ? "read " + value : "read-refused");
    }

    private void write(String breakpoint) {
        breakpoints.set(breakpoint);
        breakpoints.reach(Breakpoints.WRITE);
        boolean written = counter().write(key, value + 1, token());
        answer(System.nanoTime(), (written ? "written " : "write-refused ") + (value + 1));
    }

    /** The section is over when its release begins, or before, when the holder was told that it had lost the lock. */
    private void release(String breakpoint) {
        breakpoints.set(breakpoint);
        long over = lock().lostAt().orElse(System.nanoTime());
        boolean released = lock().release();
        answer(System.nanoTime(), (released ? "released " : "lost ") + over);
    }

    /** Adds one that many times: in one command, or under the lock. */
    private void count(String counted, int times) {
        key = counted;
        for (int i = 0; i < times; i++) {
            if (lock == null) {
                counter().increment(counted);
            } else if (!lock.acquire(counted, COUNT, COUNT)
                    || !counter()
                            .write(counted, counter().read(counted, token()).orElseThrow() + 1, token())
                    || !lock.release()) {
                throw new IllegalStateException("Not counted");
            }
        }
        answer(System.nanoTime(), "counted " + times);
    }

    private OptionalLong token() {
        return lock == null ? OptionalLong.empty() : lock.fencingToken();
    }

    private ActorLock lock() {
        if (lock == null) {
            throw new IllegalStateException("No lock is open");
        }
        return lock;
    }

    private Counter counter() {
        if (counter == null) {
            throw new IllegalStateException("No counter is open");
        }
        return counter;
    }

    private void halt() {
        answer(System.nanoTime(), "halted");
        try {
            commands.readLine();
        } catch (IOException ended) {
            throw new UncheckedIOException(ended);
        }
    }

    private void answer(long nanos, String text) {
        answers.println(nanos + " " + text);
    }
}
