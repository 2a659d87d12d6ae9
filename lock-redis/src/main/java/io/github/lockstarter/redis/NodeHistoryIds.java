package io.github.lockstarter.redis;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The last reported history ids of the cluster's nodes. By the id, an instance without a marker for a slot detects that
 * the node has forgotten the slot's locks.
 * <p>Thread-safe. An id is assigned to the node that is believed to serve the slot. After a redirect that may be
 * another node; then both seem to start another history, which is safe.
 */
final class NodeHistoryIds {

    /** Placeholder for an unknown marker at a server that must not be trusted; equals no history id. */
    static final String DISTRUST = "-";

    private final Function<String, Optional<String>> nodeOf;
    private final Duration grace;
    private final Map<String, Name> names = new ConcurrentHashMap<>();

    /** @param nodeOf address of the node of a key; empty while unknown */
    NodeHistoryIds(Function<String, Optional<String>> nodeOf, Duration grace) {
        this.nodeOf = nodeOf;
        this.grace = grace;
    }

    String known(String key) {
        if (names.isEmpty()) {
            return "";
        }
        Optional<String> node = nodeOf.apply(key);
        if (node.isEmpty()) {
            return DISTRUST;
        }
        Name name = names.get(node.get());
        return name == null ? "" : name.known();
    }

    Optional<String> nodeOf(String key) {
        return nodeOf.apply(key);
    }

    boolean isOutdated(String node, Optional<String> name) {
        Name last = names.get(node);
        return last != null && !name.equals(Optional.of(last.text));
    }

    void learn(String key, String name) {
        nodeOf.apply(key).ifPresent(node -> names.merge(node, new Name(name, System.nanoTime()), this::changed));
    }

    /** One id change covers all slots: their locks end within one grace. Until then the new id proves nothing. */
    private Name changed(Name last, Name next) {
        return last.text.equals(next.text) ? last : new Name(next.text, next.trustedFrom + grace.toNanos());
    }

    private record Name(String text, long trustedFrom) {

        String known() {
            return trustedFrom - System.nanoTime() > 0 ? DISTRUST : text;
        }
    }
}
