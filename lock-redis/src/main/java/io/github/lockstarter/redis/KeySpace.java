package io.github.lockstarter.redis;

import io.github.lockstarter.redis.connection.KeyEncoding;
import io.github.lockstarter.redis.settings.RedisSettings.KeyLayout;
import io.github.lockstarter.spi.Slots;
import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Names of all keys and channels with one prefix; {@link RedisLockBackend} says what they hold. */
public final class KeySpace {

    static final SlotTags TAGS = new SlotTags();

    private final String prefix;
    private final String suffix;
    private final Supplier<KeyLayout> layout;

    /**
     * Names keys of one server.
     *
     * @param prefix of all keys and channels
     */
    public KeySpace(String prefix) {
        this(prefix, "", () -> KeyLayout.STANDALONE);
    }

    /**
     * {@return names for one server or for a cluster, in which each slot has a counter and a history}
     *
     * @param prefix of all keys and channels
     * @param cluster whether the keys have the layout of a cluster
     */
    public static KeySpace of(String prefix, boolean cluster) {
        return of(prefix, () -> cluster ? KeyLayout.CLUSTER : KeyLayout.STANDALONE);
    }

    /** {@return names of which those without a slot may be used while the layout is unknown, {@code AUTO}} */
    static KeySpace of(String prefix, Supplier<KeyLayout> layout) {
        return new KeySpace(prefix, "", layout);
    }

    private KeySpace(String prefix, String suffix, Supplier<KeyLayout> layout) {
        this.prefix = prefix;
        this.suffix = suffix;
        this.layout = layout;
    }

    KeyLayout layout() {
        return layout.get();
    }

    boolean isPerSlot() {
        return layout() == KeyLayout.CLUSTER;
    }

    /** {@return names of locks in the same slots that no caller can name} */
    public KeySpace ofProbes() {
        return new KeySpace(prefix, ":probe", layout);
    }

    /**
     * {@return the same layout with a fencing counter and a history of its own}
     *
     * @param id of the trial
     */
    public KeySpace ofTrial(String id) {
        return new KeySpace(prefix + "start-check:" + id + ':', suffix, layout);
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
        return isPerSlot() ? inSlot("fence", TAGS.of(SlotHash.getSlot(lock))) : prefix + "fence";
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
     * {@return the name of a slot}
     *
     * @param lock name of the lock in Redis
     * @param slot of a permit or a reader
     */
    public static String slotOf(String lock, int slot) {
        return slot == 0 ? lock : lock + ":p" + slot;
    }

    /** {@return the names of consecutive slots of a lock in Redis} */
    static List<String> slotsOf(String lock, Slots slots) {
        return IntStream.range(slots.from(), slots.end())
                .mapToObj(slot -> slotOf(lock, slot))
                .toList();
    }

    /**
     * {@return the channel of an instance}
     *
     * @param instanceId of the instance
     */
    public String mailboxOf(String instanceId) {
        return mailboxOf(prefix, instanceId);
    }

    static String mailboxOf(String prefix, String instanceId) {
        return prefix + "mailbox:" + instanceId;
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
        return isPerSlot() ? inSlot("history", TAGS.of(slot)) : history();
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

    /**
     * The lowest number whose hash tag lies in a cluster slot: the same in all clients and versions.
     * <p>Tries each number once, about 110,000 for all slots. Thread-safe: its monitor guards writes.
     */
    static final class SlotTags {

        private final AtomicIntegerArray found = new AtomicIntegerArray(SlotHash.SLOT_COUNT);

        private int tried;

        String of(int slot) {
            int known = found.get(slot);
            return Integer.toString((known == 0 ? find(slot) : known) - 1);
        }

        private synchronized int find(int slot) {
            while (found.get(slot) == 0) {
                int reached = SlotHash.getSlot(Integer.toString(tried));
                tried++;
                if (found.get(reached) == 0) {
                    found.set(reached, tried);
                }
            }
            return found.get(slot);
        }
    }
}
