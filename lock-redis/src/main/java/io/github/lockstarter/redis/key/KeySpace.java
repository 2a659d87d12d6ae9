package io.github.lockstarter.redis.key;

import io.lettuce.core.cluster.SlotHash;
import org.jspecify.annotations.Nullable;

public final class KeySpace {

    private final String prefix;
    private final String suffix;
    private final @Nullable SlotTags tags;

    public KeySpace(String prefix) {
        this(prefix, "", null);
    }

    public static KeySpace of(String prefix, boolean cluster) {
        return new KeySpace(prefix, "", cluster ? new SlotTags() : null);
    }

    private KeySpace(String prefix, String suffix, @Nullable SlotTags tags) {
        this.prefix = prefix;
        this.suffix = suffix;
        this.tags = tags;
    }

    /** Locks in the same slots that no caller can name. */
    public KeySpace ofProbes() {
        return new KeySpace(prefix, ":probe", tags);
    }

    /** The same layout, with a fencing counter and a history of its own. */
    public KeySpace ofTrial(String id) {
        return new KeySpace(prefix + "start-check:" + id + ':', suffix, tags);
    }

    public LockKeys keysOf(String key) {
        String payload = KeyEncoding.encode(key);
        String tag = KeyEncoding.shorten(payload);
        String lock = prefix + '{' + tag + '}' + suffix;
        return new LockKeys(tag.equals(payload) ? "" : payload, lock, fenceOf(lock), lock + ":waiters");
    }

    public String fenceOf(String lock) {
        return tags == null ? prefix + "fence" : inSlot("fence", tags.of(SlotHash.getSlot(lock)));
    }

    public String lockOf(String key) {
        return prefix + '{' + KeyEncoding.shorten(KeyEncoding.encode(key)) + '}' + suffix;
    }

    public static String slotOf(String lock, int slot) {
        return slot == 0 ? lock : lock + ":p" + slot;
    }

    public String mailboxOf(String instanceId) {
        return prefix + "mailbox:" + instanceId;
    }

    /** Since when an instance is suspected to have crashed. */
    public String markOf(String instanceId) {
        return prefix + "doubt:" + instanceId;
    }

    public String traceOf(String instanceId) {
        return prefix + "taken:" + instanceId;
    }

    public String history() {
        return prefix + "history";
    }

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
     */
    public record LockKeys(String name, String lock, String fence, String waiters) {}
}
