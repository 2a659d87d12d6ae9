package io.github.lockstarter.redis.history;

import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.redis.settings.RedisSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What an instance knows of the history of one server, or of one slot of a cluster: the marker that it saw last, and
 * for how long the server recovers. All locks of the instance share it; it survives reconnects and failovers.
 *
 * <p>Callers' threads and event loops read and write the mutable fields. An answer that was overtaken may bring an
 * older marker back: then a history may be taken for a new one without need, which is safe.
 */
public final class ServerHistory {

    /** What a marker begins with whose writer was not told the name of the history. */
    private static final String UNNAMED = "?";

    /** What a marker ends with that was written on what seemed to be a first use. */
    private static final String FIRST = ":first";

    /** To learn it again costs each renewal a call. */
    private static final long PARTED_NANOS = Duration.ofSeconds(1).toNanos();

    private final String key;
    private final String checked;
    private final Terms terms;
    private final @Nullable NodeHistoryIds names;
    private final BiFunction<ServerHistory, Duration, RecoveryStarted> reports;
    private final LongSupplier nanoTime;
    private volatile String marker = "";
    private volatile HistoryChange change = HistoryChange.UNSEEN;
    private volatile long recoversUntil;
    private volatile long partedUntil;

    /**
     * Knows nothing yet.
     *
     * @param key where the marker is stored
     * @param terms how long to wait for a history to grow old
     * @param names what the nodes of a cluster call their histories; null if there is one server
     * @param reports told that the server recovers, and for how long
     * @param nanoTime the clock
     */
    ServerHistory(
            String key,
            Terms terms,
            @Nullable NodeHistoryIds names,
            BiFunction<ServerHistory, Duration, RecoveryStarted> reports,
            LongSupplier nanoTime) {
        this.key = key;
        this.checked = key + ":checked";
        this.terms = terms;
        this.names = names;
        this.reports = reports;
        this.nanoTime = nanoTime;
        this.recoversUntil = nanoTime.getAsLong();
        this.partedUntil = recoversUntil;
    }

    /** Where the marker is stored. */
    public String key() {
        return key;
    }

    /** Where a server notes that it has looked a moment ago. */
    public String checkedKey() {
        return checked;
    }

    /** How long to wait for a history to grow old. */
    public Terms terms() {
        return terms;
    }

    /** What to tell the server. */
    public String known() {
        String last = marker;
        if (!last.isEmpty()) {
            return last;
        }
        return terms.newcomer.isEmpty() && names != null ? names.known(key) : terms.newcomer;
    }

    /**
     * The server has another marker than it was told; empty if it has not. An instance that knows a marker does not
     * adopt that of a first use: told of the known marker, the server begins a grace.
     */
    public void learn(String other) {
        if (other.isEmpty()) {
            return;
        }
        String before = known();
        if (names != null) {
            nameIn(other).ifPresent(name -> names.learn(key, name));
        }
        if (marker.isEmpty() || !other.endsWith(FIRST)) {
            change = other.equals(before) ? change : HistoryChange.between(before, other);
            marker = other;
        }
    }

    /** Why the server began the history that the marker names. */
    HistoryChange change() {
        return change;
    }

    /** The server said so. Gives what to tell of it. */
    public RecoveryStarted recovers(Duration left) {
        recoversUntil = nanoTime.getAsLong() + left.toNanos();
        return reports.apply(this, left);
    }

    /** How much longer the server grants nothing; zero if it does. */
    Duration recovering() {
        return Duration.ofNanos(Math.max(0, recoversUntil - nanoTime.getAsLong()));
    }

    /** Whether the server recovers, as far as it said so. */
    public boolean isRecovering() {
        return recoversUntil - nanoTime.getAsLong() > 0;
    }

    /** A lock and the marker are on two servers just now, since their slot is being moved. */
    public void parted() {
        partedUntil = nanoTime.getAsLong() + PARTED_NANOS;
    }

    /** Whether a lock and the marker were on two servers a moment ago. */
    public boolean isParted() {
        return partedUntil - nanoTime.getAsLong() > 0;
    }

    /** Whether the marker does not name a history, so that a promotion may go unnoticed. */
    boolean isUnnamed() {
        return marker.startsWith(UNNAMED);
    }

    /** What the server calls this history; empty if it does not say, or was not asked yet. */
    Optional<String> name() {
        return nameIn(marker);
    }

    private static Optional<String> nameIn(String marker) {
        int end = marker.indexOf(':');
        return end < 0 || marker.startsWith(UNNAMED) ? Optional.empty() : Optional.of(marker.substring(0, end));
    }

    /**
     * What all histories of a client have in common.
     *
     * @param grace how old a history must be for grants
     * @param quiet how old a history must be for renewals
     * @param newcomer what an instance says that knows nothing
     */
    public record Terms(Duration grace, Duration quiet, String newcomer) {

        /** A server without a marker is trusted if it was never promoted, or never. */
        public static Terms of(Duration grace, Duration quiet, RedisSettings.FirstUse firstUse) {
            return new Terms(grace, quiet, firstUse == RedisSettings.FirstUse.GRACE ? NodeHistoryIds.DISTRUST : "");
        }
    }
}
