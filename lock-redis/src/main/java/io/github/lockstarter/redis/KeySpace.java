package io.github.lockstarter.redis;

import io.github.lockstarter.redis.connection.KeyEncoding;
import io.lettuce.core.cluster.SlotHash;
import org.jspecify.annotations.Nullable;

/** Names of all keys and channels with one prefix; {@link RedisLockBackend} says what they hold. */
public final class KeySpace {

    private final String prefix;
    private final String suffix;
    private final @Nullable SlotTags tags;

    /**
     * Names keys of one server.
     *
     * @param prefix of all keys and channels
     */
    public KeySpace(String prefix) {
        this(prefix, "", null);
    }

    /**
     * {@return names for one server or for a cluster, in which each slot has a counter and a history}
     *
     * @param prefix of all keys and channels
     * @param cluster whether the server is a cluster
     */
    public static KeySpace of(String prefix, boolean cluster) {
        return new KeySpace(prefix, "", cluster ? new SlotTags() : null);
    }

    private KeySpace(String prefix, String suffix, @Nullable SlotTags tags) {
        this.prefix = prefix;
        this.suffix = suffix;
        this.tags = tags;
    }

    /** {@return names of locks in the same slots that no caller can name} */
    public KeySpace ofProbes() {
        return new KeySpace(prefix, ":probe", tags);
    }

    /**
     * {@return the same layout with a fencing counter and a history of its own}
     *
     * @param id of the trial
     */
    public KeySpace ofTrial(String id) {
        return new KeySpace(prefix + "start-check:" + id + ':', suffix, tags);
    }

    /**
     * {@return the keys of a lock}
     *
     * @param key of the caller
     */
    public LockKeys keysOf(String key) {
        String payload = KeyEncoding.encode(key);
        String tag = KeyEncoding.shorten(payload);
        String lock = prefix + '{' + tag + '}' + suffix;
        return new LockKeys(tag.equals(payload) ? "" : payload, lock, fenceOf(lock), lock + ":waiters");
    }

    /**
     * {@return the fencing counter}
     *
     * @param lock name of a lock in Redis
     */
    public String fenceOf(String lock) {
        return tags == null ? prefix + "fence" : inSlot("fence", tags.of(SlotHash.getSlot(lock)));
    }

    /**
     * {@return the name of a lock in Redis}
     *
     * @param key of the caller
     */
    public String lockOf(String key) {
        return prefix + '{' + KeyEncoding.shorten(KeyEncoding.encode(key)) + '}' + suffix;
    }

    /**
     * {@return the name of a permit}
     *
     * @param lock name of the lock in Redis
     * @param slot number of the permit
     */
    public static String slotOf(String lock, int slot) {
        return slot == 0 ? lock : lock + ":p" + slot;
    }

    /**
     * {@return the channel of an instance}
     *
     * @param instanceId of the instance
     */
    public String mailboxOf(String instanceId) {
        return prefix + "mailbox:" + instanceId;
    }

    /**
     * {@return the key that says since when an instance is suspected to have crashed}
     *
     * @param instanceId of the instance
     */
    public String markOf(String instanceId) {
        return prefix + "doubt:" + instanceId;
    }

    /**
     * {@return the key that replicas must acknowledge before a takeover}
     *
     * @param instanceId of the former owner
     */
    public String traceOf(String instanceId) {
        return prefix + "taken:" + instanceId;
    }

    /** {@return the marker of the history} */
    public String history() {
        return prefix + "history";
    }

    /**
     * {@return the marker of the history of a slot}
     *
     * @param slot of the cluster
     */
    public String historyOf(int slot) {
        return tags == null ? history() : inSlot("history", tags.of(slot));
    }

    private String inSlot(String name, String tag) {
        return prefix + name + ":{" + tag + '}';
    }

    /**
     * The keys share a hash slot.
     *
     * @param name encoded lock key for mailbox messages; empty if it equals the hash tag
     * @param lock name of the lock in Redis
     * @param fence its fencing counter
     * @param waiters its queue of instances
     */
    public record LockKeys(String name, String lock, String fence, String waiters) {}
}
