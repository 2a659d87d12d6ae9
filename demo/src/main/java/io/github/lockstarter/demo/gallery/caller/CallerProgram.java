package io.github.lockstarter.demo.gallery.caller;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.pageview.View;
import io.github.lockstarter.demo.experiment.pageview.ViewStore;
import io.github.lockstarter.demo.experiment.pageview.ViewStore.Status;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A caller, {@code java -jar lock-demo.jar gallery-caller <name>}; internal. Reads commands from standard input and
 * prints one line for each: {@value #ANSWER}, {@link System#nanoTime()}, a word, and possibly a number. At a
 * breakpoint it answers {@code halted}; the answer to the following {@code go} is the answer of the command.
 */
public final class CallerProgram {

    /** Prefix of answers. */
    public static final String ANSWER = "answer ";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Wait and lease of the locks in {@code count}. */
    private static final Duration COUNT = Duration.ofSeconds(10);

    private final String name;
    private final BufferedReader commands;
    private final PrintWriter answers;
    private final CommandBreakpoint breakpoints = new CommandBreakpoint(this::halt);
    private @Nullable String opened;
    private @Nullable CallerLock lock;
    private @Nullable ViewStore counter;
    private String key = "";
    private long value;

    private CallerProgram(String name, BufferedReader commands, PrintWriter answers) {
        this.name = name;
        this.commands = commands;
        this.answers = answers;
    }

    /**
     * Executes commands until the end of its input.
     *
     * @param arguments its name
     */
    public static void run(String[] arguments) {
        PrintStream output = System.out;
        System.setOut(System.err);
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                PrintWriter answers = new PrintWriter(output, true, StandardCharsets.UTF_8)) {
            new CallerProgram(arguments[0], commands, answers).run();
        } catch (IOException ended) {
            throw new UncheckedIOException("Caller " + arguments[0] + " ends", ended);
        }
        // A Redis client may have left threads behind.
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
            case "open" -> open(String.join(" ", words.subList(1, words.size())));
            case "acquire" ->
                acquire(words.get(1), milliseconds(words.get(2)), milliseconds(words.get(3)), words.get(4));
            case "read" -> read();
            case "write" -> write(words.get(1));
            case "release" -> release(words.get(1));
            case "count" -> count(words.get(1), Integer.parseInt(words.get(2)));
            default -> throw new IllegalArgumentException("Unknown command " + words.get(0));
        }
    }

    private void open(String json) {
        if (!json.equals(opened)) {
            close();
            CallerSetting setting = JSON.readValue(json, CallerSetting.class);
            counter = ViewStore.at(setting.storePort());
            lock = switch (setting.lock()) {
                case NONE -> null;
                case STARTER -> StarterLock.start(setting, breakpoints, "warm-up-" + name);
                default -> new PolledLock(setting, breakpoints);
            };
            opened = json;
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
        ViewStore.Answer before = counter().open(view(), token());
        value = before.views();
        answer(System.nanoTime(), before.status() == Status.DONE ? "read " + value : "read-refused");
    }

    private void write(String breakpoint) {
        breakpoints.set(breakpoint);
        breakpoints.reach(CommandBreakpoint.WRITE);
        Status status = counter().write(view(), value + 1, token()).status();
        answer(System.nanoTime(), (status == Status.DONE ? "written " : "write-refused ") + (value + 1));
    }

    /** A new request id, so that each view is counted. */
    private View view() {
        return new View(Variant.V3, key, UUID.randomUUID().toString());
    }

    /** The section ends when the release starts, or earlier if the holder was notified of a loss. */
    private void release(String breakpoint) {
        breakpoints.set(breakpoint);
        long over = lock().lostAt().orElse(System.nanoTime());
        boolean released = lock().release();
        answer(System.nanoTime(), (released ? "released " : "lost ") + over);
    }

    /** Adds one repeatedly, by a single command or under the lock. */
    private void count(String counted, int times) {
        key = counted;
        for (int i = 0; i < times; i++) {
            if (lock == null) {
                counter().increment(view());
            } else if (!lock.acquire(counted, COUNT, COUNT) || !isIncremented() || !lock.release()) {
                throw new IllegalStateException("Not counted");
            }
        }
        answer(System.nanoTime(), "counted " + times);
    }

    private boolean isIncremented() {
        long before = counter().open(view(), token()).views();
        return counter().write(view(), before + 1, token()).status() == Status.DONE;
    }

    private OptionalLong token() {
        return lock == null ? OptionalLong.empty() : lock.fencingToken();
    }

    private CallerLock lock() {
        return Objects.requireNonNull(lock, "no lock is open");
    }

    private ViewStore counter() {
        return Objects.requireNonNull(counter, "no counter is open");
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
        answers.println(ANSWER + nanos + " " + text);
    }
}
