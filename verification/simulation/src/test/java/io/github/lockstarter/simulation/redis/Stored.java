package io.github.lockstarter.simulation.redis;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The value of a key, and when it ends. Immutable.
 *
 * @param value a {@code String}; or a sorted set: scores by member; or a hash: texts by field, in a
 *     {@code LinkedHashMap}; not empty
 * @param expiresAt the last millisecond in which it exists, since 1970; {@link #NEVER} if it does not end
 */
record Stored(Object value, long expiresAt) {

    static final long NEVER = Long.MAX_VALUE;

    private static final Comparator<Map.Entry<String, Double>> LOWEST =
            Map.Entry.<String, Double>comparingByValue().thenComparing(Map.Entry.comparingByKey());

    boolean isText() {
        return value instanceof String;
    }

    String text() {
        return (String) value;
    }

    @SuppressWarnings("unchecked")
    SortedMap<String, Double> scores() {
        return (SortedMap<String, Double>) value;
    }

    @SuppressWarnings("unchecked")
    LinkedHashMap<String, String> fields() {
        return (LinkedHashMap<String, String>) value;
    }

    /** The member of the sorted set that has the lowest score, of several the first one by name. */
    Map.Entry<String, Double> lowest() {
        return scores().entrySet().stream().min(LOWEST).orElseThrow();
    }

    Stored withText(String text) {
        return new Stored(text, expiresAt);
    }

    Stored withScore(String member, double score) {
        SortedMap<String, Double> scores = new TreeMap<>(scores());
        scores.put(member, score + 0.0); // no negative zero
        return new Stored(scores, expiresAt);
    }

    /** The sorted set may be empty then. */
    Stored without(String member) {
        SortedMap<String, Double> scores = new TreeMap<>(scores());
        scores.remove(member);
        return new Stored(scores, expiresAt);
    }

    Stored withField(String field, String text) {
        LinkedHashMap<String, String> fields = new LinkedHashMap<>(fields());
        fields.put(field, text);
        return new Stored(fields, expiresAt);
    }

    /** The hash may be empty then. */
    Stored withoutField(String field) {
        LinkedHashMap<String, String> fields = new LinkedHashMap<>(fields());
        fields.remove(field);
        return new Stored(fields, expiresAt);
    }

    Stored until(long end) {
        return new Stored(value, end);
    }
}
