package io.github.lockstarter.redis;

import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * An instance's view of the history of one server or cluster slot: the last marker, and the remaining recovery. It
 * survives reconnects and failovers.
 * <p>Callers' threads and event loops access the mutable fields. A late answer may restore an older marker; then an
 * unchanged history may be taken for a new one, which is safe.
 */
final class ServerHistory {

    /** Prefix of a marker whose writer had no access to the history id. */
    private static final String UNNAMED = "?";

    /** Suffix of a marker that was written on an apparent first use. */
    private static final String FIRST = ":first";

    private final String key;
    private final String checked;
    private final String takeovers;
    private final HistoryTerms terms;
    private final @Nullable NodeHistoryIds names;
    private final BiFunction<ServerHistory, Duration, RecoveryStarted> reports;
    private final RedisConnector servers;
    private volatile String marker = "";
    private volatile HistoryChange change = HistoryChange.UNSEEN;
    private volatile long recoversUntil;

    /** That the last two markers came from, as far as known. */
    private volatile String master = "";

    private volatile String formerMaster = "";

    ServerHistory(
            String key,
            HistoryTerms terms,
            @Nullable NodeHistoryIds names,
            BiFunction<ServerHistory, Duration, RecoveryStarted> reports,
            RedisConnector servers) {
        this.key = key;
        this.checked = key + ":checked";
        this.takeovers = key + ":takeovers";
        this.terms = terms;
        this.names = names;
        this.reports = reports;
        this.servers = servers;
        this.recoversUntil = servers.nanoTime();
    }

    public String key() {
        return key;
    }

    public String checkedKey() {
        return checked;
    }

    public String takeoversKey() {
        return takeovers;
    }

    public HistoryTerms terms() {
        return terms;
    }

    public String known() {
        String last = marker;
        if (!last.isEmpty()) {
            return last;
        }
        return terms.newcomer.isEmpty() && names != null && servers.isCluster() ? names.known(key) : terms.newcomer;
    }

    /**
     * Stores the server's marker if it differs; empty if it does not. An instance that knows a marker does not adopt a
     * first-use marker: the server starts a grace when it receives the known one.
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
            if (!other.equals(before)) {
                change = HistoryChange.between(before, other);
                formerMaster = master;
            }
            master = servers.masterAddress();
            marker = other;
        }
    }

    /** Which server has become the master in the last change; empty if none has, or it is unknown. */
    Optional<String> newMaster() {
        return Optional.of(master)
                .filter(now -> change == HistoryChange.REPLACED)
                .filter(now -> !now.isEmpty() && !formerMaster.isEmpty() && !now.equals(formerMaster))
                .map(now -> now + " is the master now (was " + formerMaster + ')');
    }

    /** The server has the marker that is {@link #known}. */
    public void confirm() {
        if (names != null) {
            name().ifPresent(name -> names.learn(key, name));
        }
    }

    HistoryChange change() {
        return change;
    }

    public RecoveryStarted recovers(Duration left) {
        recoversUntil = servers.nanoTime() + left.toNanos();
        return reports.apply(this, left);
    }

    Duration recovering() {
        return Duration.ofNanos(Math.max(0, recoversUntil - servers.nanoTime()));
    }

    /** Whether a server has answered with its marker. */
    boolean isKnown() {
        return !marker.isEmpty();
    }

    boolean isUnnamed() {
        return marker.startsWith(UNNAMED);
    }

    /** The cluster node that is believed to serve the slot; empty if unknown, or without a cluster. */
    public Optional<String> node() {
        return names == null ? Optional.empty() : names.nodeOf(key);
    }

    Optional<String> name() {
        return nameIn(marker);
    }

    private static Optional<String> nameIn(String marker) {
        int end = marker.indexOf(':');
        return end < 0 || marker.startsWith(UNNAMED) ? Optional.empty() : Optional.of(marker.substring(0, end));
    }

    /**
     * A client's settings.
     *
     * @param grace minimum age of a history for grants
     * @param quiet minimum age of a history for renewals
     * @param newcomer placeholder of an instance without a marker
     * @param graceText grace in the scripts' arguments
     */
    public record HistoryTerms(Duration grace, Duration quiet, String newcomer, String graceText) {

        /**
         * With {@code GRANT}, a server without a marker is trusted if it was never promoted; with {@code GRACE}, never.
         */
        public static HistoryTerms of(RedisSettings.HistoryGuard guard) {
            return new HistoryTerms(
                    guard.grace(),
                    guard.deposedMasterWrites(),
                    guard.firstUse() == RedisSettings.FirstUse.GRACE ? NodeHistoryIds.DISTRUST : "",
                    (guard.isDurable() ? "+" : "") + ScriptCall.millis(guard.grace()));
        }
    }
}
