package io.github.lockstarter.redis.key;

import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.cluster.SlotHash;
import org.jspecify.annotations.Nullable;

/** The names of the keys and channels in Redis for the locks under one prefix. */
public final class KeySpace {

    private final String prefix;
    private final @Nullable SlotTags tags;

    /** The keys on one server under a prefix that {@link RedisSettings} has checked. */
    public KeySpace(String prefix) {
        this(prefix, null);
    }

    /** The keys in a cluster, or else on one server. */
    public static KeySpace of(String prefix, boolean isCluster) {
        return new KeySpace(prefix, isCluster ? new SlotTags() : null);
    }

    private KeySpace(String prefix, @Nullable SlotTags tags) {
        this.prefix = prefix;
        this.tags = tags;
    }

    /** The names of one lock. */
    public LockKeys keysOf(String key) {
        String payload = KeyEncoding.encode(key);
        String tag = KeyEncoding.shorten(payload);
        String lock = prefix + '{' + tag + '}';
        return new LockKeys(tag.equals(payload) ? "" : payload, lock, fenceOf(lock), lock + ":waiters");
    }

    /** Where the counter of a lock is stored, by the first of {@link #keysOf}. */
    public String fenceOf(String lock) {
        return tags == null ? prefix + "fence" : inSlot("fence", tags.of(SlotHash.getSlot(lock)));
    }

    /** The first of {@link #keysOf}, alone. */
    public String lockOf(String key) {
        return prefix + '{' + KeyEncoding.shorten(KeyEncoding.encode(key)) + '}';
    }

    /** The lock of a slot, by the first of {@link #keysOf}. */
    public static String slotOf(String lock, int slot) {
        return slot == 0 ? lock : lock + ":p" + slot;
    }

    /** The channel on which an instance hears its signals. */
    public String mailboxOf(String instanceId) {
        return prefix + "mailbox:" + instanceId;
    }

    /** Where it is noted for how long an instance was not heard. */
    public String markOf(String instanceId) {
        return prefix + "doubt:" + instanceId;
    }

    /** Where it is noted that locks of an instance were taken over. */
    public String traceOf(String instanceId) {
        return prefix + "taken:" + instanceId;
    }

    /** Where the marker of the one history is stored. */
    public String history() {
        return prefix + "history";
    }

    /** Where the marker of the history of a slot of a cluster is stored. */
    public String historyOf(int slot) {
        return tags == null ? history() : inSlot("history", tags.of(slot));
    }

    private String inSlot(String name, String tag) {
        return prefix + name + ":{" + tag + '}';
    }

    /**
     * The names of what belongs to one lock; the three keys share a hash slot.
     *
     * @param name what a mailbox is told, the whole key of the lock, encoded; empty where that is what the braces hold
     * @param lock holds the owner's last fencing token and its token
     * @param fence holds the last fencing token of all locks of the server, in a cluster of those in the slot
     * @param waiters holds the waiting instances
     */
    public record LockKeys(String name, String lock, String fence, String waiters) {

        /** As the scripts take them that grant nothing. */
        public String[] lockAndWaiters() {
            return new String[] {lock, waiters};
        }
    }
}
