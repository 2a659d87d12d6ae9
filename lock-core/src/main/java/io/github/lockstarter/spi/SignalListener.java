package io.github.lockstarter.spi;

import io.github.lockstarter.StoreEvent;

/**
 * Receives signals of other instances and events of the store. Called on any thread, also an event loop: return at
 * once.
 */
public interface SignalListener {

    /**
     * The lock may be free: try again. A hint, never a grant; may come late, twice, or not at all.
     *
     * @param key the lock's key
     */
    void onSignal(String key);

    /**
     * Another instance has begun to wait for a lock that this instance had. A hint, never an order; may come late,
     * twice, or not at all. Sent when the first other instance registers, not for those behind it.
     *
     * @param key the lock's key
     */
    void onWanted(String key);

    /**
     * A lock of this instance was taken away by an operator. Unlike the other signals, this is no hint: what was
     * granted to that lock token is gone, unless the store brought it back for a renewal that came later. May come
     * late, twice, or not at all, and before the answer with the grant.
     *
     * @param key the lock's key
     * @param fingerprint of the lock token that had it
     */
    void onRevoked(String key, String fingerprint);

    /** Commands may be sent, and signals arrive, on new connections: a {@link CrashDetection#beat} is due. */
    default void onMailboxOpened() {}

    /** Signals may have been missed, since the connection for them was away: every waiter should try again. */
    void onMailboxRestored();

    /**
     * An event of the store that the results of commands do not show: that it recovers, which may be repeated with each
     * answer during the recovery, or what happens to one vote of a quorum. The engine finds the end of a recovery by
     * itself, and outages of the store by {@link LockBackend#isSilence}.
     *
     * @param event what happened
     */
    default void onStoreEvent(StoreEvent event) {}
}
