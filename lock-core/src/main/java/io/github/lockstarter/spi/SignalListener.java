package io.github.lockstarter.spi;

import io.github.lockstarter.StoreEvent;

/**
 * Receives signals of other instances and events of the store, on any thread, including event loops; must not block.
 * Signals may arrive late, twice, or not at all.
 */
public interface SignalListener {

    /**
     * The lock may be free: retry. Never a grant.
     *
     * @param key key
     * @param slot slot, so that an instance that cannot use it passes the signal on; 0 for a lock with one permit, or
     *     if the store signals all waiting instances
     */
    void onSignal(String key, int slot);

    /**
     * Another instance waits for a lock that this instance had. A hint; sent only for the first registered instance.
     *
     * @param key key
     */
    void onWanted(String key);

    /**
     * An operator took a lock of this instance away. Unlike other signals a fact: that token's grant is gone, unless
     * the store restored it for a later renewal. May arrive before the answer with the grant.
     *
     * @param key key
     * @param fingerprint of the lock token that had it
     */
    void onRevoked(String key, String fingerprint);

    /** A new connection for commands or signals is open: a {@link CrashDetection#beat} is due. */
    default void onMailboxOpened() {}

    /** The signal connection was lost and is open again; every waiter should retry. */
    void onMailboxRestored();

    /**
     * Receives an event that results of commands do not show: a recovery, possibly repeated with each answer during it,
     * or the outage of one vote of a quorum. The engine detects the end of recoveries, and other outages.
     *
     * @param event event
     */
    default void onStoreEvent(StoreEvent event) {}
}
