package io.github.lockstarter.redis;

/** What the keys and channels of the locks under one prefix are called in Redis. */
final class KeySpace {

    private final String opening;
    private final String mailboxes;

    /** The keys under a prefix that {@link RedisSettings} has checked. */
    KeySpace(String prefix) {
        this.opening = prefix + '{';
        this.mailboxes = prefix + "mailbox:";
    }

    /** The names of one lock. */
    LockKeys keysOf(String key) {
        String payload = KeyEncoding.encode(key);
        String lock = opening + KeyEncoding.shorten(payload) + '}';
        return new LockKeys(payload, lock, lock + ":fence", lock + ":waiters");
    }

    /** What every mailbox channel starts with; the instance id follows. */
    String mailboxes() {
        return mailboxes;
    }

    /** The channel on which an instance hears its signals. */
    String mailboxOf(String instanceId) {
        return mailboxes + instanceId;
    }

    /**
     * The names of one lock; the three keys share a hash slot.
     *
     * @param payload what a mailbox is told: the whole key of the lock, encoded
     * @param lock holds the owner's token
     * @param fence holds the last fencing token
     * @param waiters holds the waiting instances
     */
    record LockKeys(String payload, String lock, String fence, String waiters) {}
}
