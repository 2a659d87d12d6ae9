package io.github.lockstarter.kit.event;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * One thing that happened. What the fields mean beyond this is said by the {@linkplain EventKind kind}. All times of
 * a log are nanoseconds of one clock: in the fault lab {@link System#nanoTime()}, which is one clock for all processes
 * of a Linux machine.
 *
 * @param kind what happened
 * @param worker to whom: name and number of the incarnation, such as {@code w1.2}
 * @param key the lock's key
 * @param at when
 * @param token the fencing token of the hold
 * @param from the begin of something that lasted
 * @param until the end of something that lasts
 * @param amount a number
 * @param note a word or two, without quotes
 */
public record LabEvent(
        EventKind kind,
        String worker,
        String key,
        long at,
        long token,
        long from,
        long until,
        long amount,
        String note) {

    private static final String SLOT = "/p";

    private static final Map<String, String> WORDS = new ConcurrentHashMap<>();

    /**
     * An event that happens now.
     *
     * @param kind what happens
     * @param worker to whom
     * @return the event; nothing else is filled in
     */
    public static LabEvent now(EventKind kind, String worker) {
        return at(kind, worker, System.nanoTime());
    }

    /**
     * An event at a time of any clock.
     *
     * @param kind what happens
     * @param worker to whom
     * @param nanoTime when it happens
     * @return the event; nothing else is filled in
     */
    public static LabEvent at(EventKind kind, String worker, long nanoTime) {
        return new LabEvent(kind, worker, "", nanoTime, 0, 0, 0, 0, "");
    }

    /**
     * Sets the time.
     *
     * @param nanoTime when it happened
     * @return the changed event
     */
    public LabEvent at(long nanoTime) {
        return new LabEvent(kind, worker, key, nanoTime, token, from, until, amount, note);
    }

    /**
     * Sets the lock.
     *
     * @param lock the lock's key
     * @param fencingToken of the hold; 0 if there is none
     * @return the changed event
     */
    public LabEvent of(String lock, long fencingToken) {
        return new LabEvent(kind, worker, lock, at, fencingToken, from, until, amount, note);
    }

    /**
     * What a slot of a lock with several permits is called in events: each is a lock of its own.
     *
     * @param lock the lock's key
     * @param slot of the hold; the first one, 0, is called like the lock
     * @return the key for {@link #of}
     */
    public static String slotOf(String lock, int slot) {
        return slot == 0 ? lock : lock + SLOT + slot;
    }

    /**
     * The lock to which a slot belongs.
     *
     * @param key the lock's key, or that of one of its slots
     * @return the lock's key
     */
    public static String lockOf(String key) {
        int slot = key.lastIndexOf(SLOT);
        return slot < 0 ? key : key.substring(0, slot);
    }

    /**
     * Sets begin and end.
     *
     * @param begin nanoTime, or 0
     * @param end nanoTime, or 0
     * @return the changed event
     */
    public LabEvent between(long begin, long end) {
        return new LabEvent(kind, worker, key, at, token, begin, end, amount, note);
    }

    /**
     * Sets the number.
     *
     * @param number the number
     * @return the changed event
     */
    public LabEvent counting(long number) {
        return new LabEvent(kind, worker, key, at, token, from, until, number, note);
    }

    /**
     * Sets the words.
     *
     * @param words without quotes; others are replaced
     * @return the changed event
     */
    public LabEvent noting(String words) {
        return new LabEvent(
                kind, worker, key, at, token, from, until, amount, words.replaceAll("[\"\\\\\\p{Cntrl}]", "'"));
    }

    /**
     * The event as one line.
     *
     * @return a JSON object without line break
     */
    public String toJson() {
        StringBuilder json = new StringBuilder(128)
                .append("{\"kind\":\"")
                .append(kind)
                .append("\",\"at\":")
                .append(at);
        BiConsumer<String, String> text = (name, value) -> {
            if (!value.isEmpty()) {
                json.append(",\"").append(name).append("\":\"").append(value).append('"');
            }
        };
        BiConsumer<String, Long> number = (name, value) -> {
            if (value != 0) {
                json.append(",\"").append(name).append("\":").append(value);
            }
        };
        text.accept("worker", worker);
        text.accept("key", key);
        number.accept("token", token);
        number.accept("from", from);
        number.accept("until", until);
        number.accept("amount", amount);
        text.accept("note", note);
        return json.append('}').toString();
    }

    /**
     * Reads what {@link #toJson} wrote.
     *
     * @param line one line
     * @return the event
     * @throws IllegalArgumentException when the line is torn
     */
    public static LabEvent parse(String line) {
        if (!line.startsWith("{\"kind\":\"") || !line.endsWith("}")) {
            throw new IllegalArgumentException("Torn line: " + line);
        }
        return new LabEvent(
                EventKind.valueOf(text(line, "kind")),
                text(line, "worker"),
                text(line, "key"),
                number(line, "at"),
                number(line, "token"),
                number(line, "from"),
                number(line, "until"),
                number(line, "amount"),
                text(line, "note"));
    }

    private static String text(String line, String name) {
        int start = line.indexOf("\"" + name + "\":\"");
        if (start < 0) {
            return "";
        }
        int from = start + name.length() + 4;
        // Millions of events have the same few words.
        return WORDS.computeIfAbsent(line.substring(from, line.indexOf('"', from)), word -> word);
    }

    private static long number(String line, String name) {
        int start = line.indexOf("\"" + name + "\":");
        if (start < 0) {
            return 0;
        }
        int from = start + name.length() + 3;
        int to = from;
        while (line.charAt(to) == '-' || Character.isDigit(line.charAt(to))) {
            to++;
        }
        return Long.parseLong(line, from, to, 10);
    }
}
