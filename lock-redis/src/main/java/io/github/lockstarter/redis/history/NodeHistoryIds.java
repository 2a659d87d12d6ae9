package io.github.lockstarter.redis.history;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The history ids that the nodes of a cluster reported last. An instance that uses a slot for the first time has no
 * marker of it, and yet finds by the name that the node has forgotten what was there before.
 *
 * <p>Thread-safe. A name is put down to the node that is thought to have the slot. Where the cluster redirected the
 * command, that may be another one: then each of the two seems to have begun anew, which is safe.
 */
final class NodeHistoryIds {

    /** What a newcomer says that does not trust a server without a marker: none is ever called that. */
    static final String DISTRUST = "-";

    private final Function<String, Optional<String>> nodeOf;
    private final Duration grace;
    private final Map<String, Name> names = new ConcurrentHashMap<>();

    /**
     * Knows nothing yet.
     *
     * @param nodeOf what finds the node that has a key; empty as long as no node is known
     * @param grace for how long a lock may be held that a node has forgotten
     */
    NodeHistoryIds(Function<String, Optional<String>> nodeOf, Duration grace) {
        this.nodeOf = nodeOf;
        this.grace = grace;
    }

    /** What to tell the node of a key that is not known to have a marker. */
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

    /** The node of a key calls its history so. */
    void learn(String key, String name) {
        nodeOf.apply(key).ifPresent(node -> names.merge(node, new Name(name, System.nanoTime()), this::changed));
    }

    /**
     * One change is enough for all slots, whose locks end one grace later: until then the new name vouches for none.
     */
    private Name changed(Name last, Name next) {
        return last.text.equals(next.text) ? last : new Name(next.text, next.trustedFrom + grace.toNanos());
    }

    private record Name(String text, long trustedFrom) {

        String known() {
            return trustedFrom - System.nanoTime() > 0 ? DISTRUST : text;
        }
    }
}
