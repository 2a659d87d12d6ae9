package io.github.lockstarter.redis.key;

import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.cluster.SlotHash;
import org.jspecify.annotations.Nullable;

/** Names of the Redis keys and channels under one prefix. */
public final class KeySpace {

    private final String prefix;
    private final @Nullable SlotTags tags;

    /** Names on a single server, under a prefix that {@link RedisSettings} has validated. */
    public KeySpace(String prefix) {
        this(prefix, null);
    }

    public static KeySpace of(String prefix, boolean isCluster) {
        return new KeySpace(prefix, isCluster ? new SlotTags() : null);
    }

    private KeySpace(String prefix, @Nullable SlotTags tags) {
        this.prefix = prefix;
        this.tags = tags;
    }

    public LockKeys keysOf(String key) {
        String payload = KeyEncoding.encode(key);
        String tag = KeyEncoding.shorten(payload);
        String lock = prefix + '{' + tag + '}';
        return new LockKeys(tag.equals(payload) ? "" : payload, lock, fenceOf(lock), lock + ":waiters");
    }

    /** The fencing counter of a {@linkplain LockKeys#lock() lock key}. */
    public String fenceOf(String lock) {
        return tags == null ? prefix + "fence" : inSlot("fence", tags.of(SlotHash.getSlot(lock)));
    }

    /** The {@linkplain LockKeys#lock() lock key} alone. */
    public String lockOf(String key) {
        return prefix + '{' + KeyEncoding.shorten(KeyEncoding.encode(key)) + '}';
    }

    /** The key of one of a lock's slots for permits. */
    public static String slotOf(String lock, int slot) {
        return slot == 0 ? lock : lock + ":p" + slot;
    }

    /** Channel on which an instance receives signals. */
    public String mailboxOf(String instanceId) {
        return prefix + "mailbox:" + instanceId;
    }

    /** Key that stores since when an instance is suspected to have crashed. */
    public String markOf(String instanceId) {
        return prefix + "doubt:" + instanceId;
    }

    /** Key that stores the trace of take-overs from an instance. */
    public String traceOf(String instanceId) {
        return prefix + "taken:" + instanceId;
    }

    public String history() {
        return prefix + "history";
    }

    /** Key of the history marker of a cluster slot. */
    public String historyOf(int slot) {
        return tags == null ? history() : inSlot("history", tags.of(slot));
    }

    private String inSlot(String name, String tag) {
        return prefix + name + ":{" + tag + '}';
    }

    /**
     * Names of one lock; the three keys share a hash slot.
     *
     * @param name the encoded lock key for mailbox messages; empty if it equals the hash tag
     * @param lock holds the last fencing token and the owner's lock token
     * @param fence holds the last fencing token of the server, in a cluster of the slot
     * @param waiters holds the waiting instances
     */
    public record LockKeys(String name, String lock, String fence, String waiters) {}
}
