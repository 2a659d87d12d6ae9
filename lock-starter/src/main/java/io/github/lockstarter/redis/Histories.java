package io.github.lockstarter.redis;

import io.github.lockstarter.redis.RedisSettings.OnHistoryChange;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The histories that the locks of a client belong to: one, or in a cluster one for each slot, since slots move between
 * servers. Thread-safe: each history is made once, when its first lock is used.
 *
 * <p>The marker is stored under {@code <prefix>history}, in a cluster under {@code <prefix>history:{n}}, where {@code n} is the
 * least number in that slot: a name that all instances find, today and later.
 */
final class Histories {

    private final KeySpace keySpace;
    private final boolean perSlot;
    private final boolean guarded;
    private final History.Terms terms;
    private final AtomicReferenceArray<@Nullable History> histories;
    private volatile boolean unnamed;

    /**
     * Knows nothing yet.
     *
     * @param keySpace what the keys are called
     * @param servers whether they are a cluster
     * @param guard whether histories matter, and for how long
     */
    Histories(KeySpace keySpace, RedisConnector servers, RedisSettings.Guard guard) {
        this.keySpace = keySpace;
        this.perSlot = servers.isCluster();
        this.guarded = guard.onChange() == OnHistoryChange.GRACE;
        this.terms = History.Terms.of(guard.grace(), guard.deposedMasterWrites(), guard.firstUse());
        this.histories = new AtomicReferenceArray<>(perSlot ? SlotHash.SLOT_COUNT : 1);
    }

    /** Whether histories matter. */
    boolean isGuarded() {
        return guarded;
    }

    /** Whether two locks rarely share a history. */
    boolean isPerSlot() {
        return perSlot;
    }

    /** The history of the lock that is stored under this key; null if histories do not matter. */
    @Nullable
    History of(String lock) {
        if (!guarded) {
            return null;
        }
        int place = perSlot ? SlotHash.getSlot(lock) : 0;
        History known = histories.get(place);
        return known == null ? made(place) : known;
    }

    /** The history of the lock that is called this; null if histories do not matter. */
    @Nullable
    History ofKey(String key) {
        return of(perSlot ? keySpace.lockOf(key) : key);
    }

    private History made(int place) {
        History made = new History(perSlot ? keySpace.historyOf(tagIn(place)) : keySpace.history(), terms);
        History raced = histories.compareAndExchange(place, null, made);
        return raced == null ? made : raced;
    }

    private static String tagIn(int slot) {
        int number = 0;
        while (SlotHash.getSlot(Integer.toString(number)) != slot) {
            number++;
        }
        return Integer.toString(number);
    }

    /** The server does not name its histories to this user. */
    void unnamed(boolean found) {
        unnamed = found;
    }

    /** What whoever looks after the application should know. */
    HistoryGuard state() {
        if (!guarded) {
            return new HistoryGuard(HistoryGuard.State.OFF, Duration.ZERO);
        }
        boolean degraded = unnamed;
        Duration longest = Duration.ZERO;
        for (int i = 0; i < histories.length(); i++) {
            History history = histories.get(i);
            if (history != null) {
                degraded |= history.isUnnamed();
                Duration left = history.recovering();
                longest = left.compareTo(longest) > 0 ? left : longest;
            }
        }
        return new HistoryGuard(degraded ? HistoryGuard.State.DEGRADED : HistoryGuard.State.GUARDED, longest);
    }
}
