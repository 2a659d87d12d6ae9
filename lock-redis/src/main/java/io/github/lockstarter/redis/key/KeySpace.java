package io.github.lockstarter.redis.key;

import io.github.lockstarter.redis.settings.RedisSettings;

/** The names of the keys and channels in Redis for the locks under one prefix. */
public final class KeySpace {

    private final String opening;
    private final String mailboxes;
    private final String history;

    /** The keys under a prefix that {@link RedisSettings} has checked. */
    public KeySpace(String prefix) {
        this.opening = prefix + '{';
        this.mailboxes = prefix + "mailbox:";
        this.history = prefix + "history";
    }

    /** The names of one lock. */
    public LockKeys keysOf(String key) {
        String payload = KeyEncoding.encode(key);
        String tag = KeyEncoding.shorten(payload);
        String lock = opening + tag + '}';
        return new LockKeys(tag.equals(payload) ? "" : payload, lock, lock + ":fence", lock + ":waiters");
    }

    /** The first of {@link #keysOf}, alone. */
    public String lockOf(String key) {
        return opening + KeyEncoding.shorten(KeyEncoding.encode(key)) + '}';
    }

    /** The channel on which an instance hears its signals. */
    public String mailboxOf(String instanceId) {
        return mailboxes + instanceId;
    }

    /** Where the marker of the one history is stored. */
    public String history() {
        return history;
    }

    /** Where the marker of the history of a slot is stored. */
    public String historyOf(String tag) {
        return history + ":{" + tag + '}';
    }

    /**
     * The names of one lock; the three keys share a hash slot.
     *
     * @param name what a mailbox is told, the whole key of the lock, encoded; empty where that is what the braces hold
     * @param lock holds the owner's token
     * @param fence holds the last fencing token
     * @param waiters holds the waiting instances
     */
    public record LockKeys(String name, String lock, String fence, String waiters) {

        /** In the order of the scripts. */
        public String[] all() {
            return new String[] {lock, fence, waiters};
        }
    }
}
