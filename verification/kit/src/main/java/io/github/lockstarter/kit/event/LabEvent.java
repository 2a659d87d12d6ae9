package io.github.lockstarter.kit.event;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * One event; {@link EventKind} describes the fields. Times are ns of one clock: in the fault lab {@link
 * System#nanoTime()}, which all processes of a Linux machine share.
 *
 * @param worker name and number of the incarnation, such as {@code w1.2}
 * @param token fencing token
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

    /** The first slot of readers. Several holds of a worker share one, with one fencing token. */
    private static final int FIRST_READER = 1024;

    private static final Map<String, String> WORDS = new ConcurrentHashMap<>();

    /** Returns an event that happens now, without further fields. */
    public static LabEvent now(EventKind kind, String worker) {
        return at(kind, worker, System.nanoTime());
    }

    /** Returns an event at a time of any clock, without further fields. */
    public static LabEvent at(EventKind kind, String worker, long nanoTime) {
        return new LabEvent(kind, worker, "", nanoTime, 0, 0, 0, 0, "");
    }

    public LabEvent at(long nanoTime) {
        return new LabEvent(kind, worker, key, nanoTime, token, from, until, amount, note);
    }

    /**
     * Sets the lock.
     *
     * @param fencingToken 0 for none
     */
    public LabEvent of(String lock, long fencingToken) {
        return new LabEvent(kind, worker, lock, at, fencingToken, from, until, amount, note);
    }

    /**
     * Returns the key of a slot in events, where each slot of a lock with several permits is a lock. Slot 0 has the
     * key of the lock.
     */
    public static String slotOf(String lock, int slot) {
        return slot == 0 ? lock : lock + SLOT + slot;
    }

    /** Returns the lock of a slot. */
    public static String lockOf(String key) {
        int slot = key.lastIndexOf(SLOT);
        return slot < 0 ? key : key.substring(0, slot);
    }

    /** Whether a key in events is a slot of readers. */
    public static boolean isRead(String key) {
        int slot = key.lastIndexOf(SLOT);
        return slot >= 0 && Integer.parseInt(key, slot + SLOT.length(), key.length(), 10) >= FIRST_READER;
    }

    public LabEvent between(long begin, long end) {
        return new LabEvent(kind, worker, key, at, token, begin, end, amount, note);
    }

    public LabEvent counting(long number) {
        return new LabEvent(kind, worker, key, at, token, from, until, number, note);
    }

    /** Sets the note; replaces quotes. */
    public LabEvent noting(String words) {
        return new LabEvent(
                kind, worker, key, at, token, from, until, amount, words.replaceAll("[\"\\\\\\p{Cntrl}]", "'"));
    }

    /** Returns a JSON object without line breaks. */
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
     * Parses a line of {@link #toJson}.
     *
     * @throws IllegalArgumentException if the line is truncated
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
        // Millions of events share few words.
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
