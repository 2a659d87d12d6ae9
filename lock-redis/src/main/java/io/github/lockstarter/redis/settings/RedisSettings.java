package io.github.lockstarter.redis.settings;

import io.github.lockstarter.DurationText;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import java.time.Duration;
import java.util.List;

/**
 * How locks are kept in Redis. Checked here; the messages name the property that sets the value.
 *
 * @param keyPrefix what every key and channel of the locks starts with; clients that share it share their locks
 * @param commandTimeout how long a command may take before its outcome counts as unknown
 * @param guard what to do when Redis may have forgotten locks
 */
public record RedisSettings(String keyPrefix, Duration commandTimeout, Guard guard) {

    /** Longest prefix in characters. */
    public static final int MAX_PREFIX_LENGTH = 64;

    /** Shortest command timeout: Lettuce counts in steps of about this size. */
    public static final Duration MIN_COMMAND_TIMEOUT = Duration.ofMillis(100);

    /** Longest command timeout: a caller that waits longer for an answer learns nothing from it. */
    public static final Duration MAX_COMMAND_TIMEOUT = Duration.ofMinutes(1);

    /** What the keys of a cluster's slots begin with, under a prefix that ends with a colon. */
    private static final List<String> KEYS_OF_SLOTS = List.of(":history:", ":fence:");

    /** Prefix {@code lock:}, 2 s, and the history guard for leases of up to 30 s. */
    public static final RedisSettings DEFAULTS =
            new RedisSettings("lock:", Duration.ofSeconds(2), Guard.of(Duration.ofSeconds(30)));

    /** Commands that may wait in the client; all renewals of one tick must fit. */
    static final int REQUEST_QUEUE_SIZE = 32_768;

    private static final Duration REFRESH_PERIOD = Duration.ofSeconds(30);
    private static final Duration REFRESH_PAUSE = Duration.ofSeconds(1);

    /**
     * Checks what is given.
     *
     * @param keyPrefix 1 to {@value #MAX_PREFIX_LENGTH} printable characters without braces, not ending with
     *     {@code :history:} or {@code :fence:}
     * @param commandTimeout from {@link #MIN_COMMAND_TIMEOUT} to {@link #MAX_COMMAND_TIMEOUT}
     * @param guard checked already
     * @throws IllegalArgumentException when a value is out of range; names the property
     */
    public RedisSettings {
        checkPrefix(keyPrefix);
        if (commandTimeout.compareTo(MIN_COMMAND_TIMEOUT) < 0 || commandTimeout.compareTo(MAX_COMMAND_TIMEOUT) > 0) {
            throw new IllegalArgumentException(
                    "distributed-lock.redis.command-timeout is " + DurationText.exactly(commandTimeout)
                            + "; it must be between " + DurationText.exactly(MIN_COMMAND_TIMEOUT) + " and "
                            + MAX_COMMAND_TIMEOUT.toSeconds() + "s");
        }
    }

    /** What an instance that knows nothing yet does at a server without a marker that was never promoted. */
    public enum FirstUse {
        /** Takes it for a new one: locks are granted at once. */
        GRANT,
        /** Takes it for one that lost its data: free locks are granted after the grace, as by the nodes of a quorum. */
        GRACE
    }

    /**
     * The history guard.
     *
     * @param gracePeriod how long a server that may have forgotten locks grants no free lock: at least the longest
     *     lease of all clients that share the prefix, which must agree on it; zero if forgotten locks may be granted
     * @param firstUse whether to trust a server that seems new
     * @param deposedMasterWrites how long a master may go on executing writes after another one was promoted; prolongs
     *     the grace period; zero if there is none
     */
    public record Guard(Duration gracePeriod, FirstUse firstUse, Duration deposedMasterWrites) {

        /** Of what is left of a lease when its first renewal is due, this leaves half for the renewal. */
        private static final int SHARE_OF_LEASE = 3;

        /**
         * Without a grace period nothing waits for a deposed master.
         *
         * @param gracePeriod checked already
         * @param firstUse whether to trust a server that seems new
         * @param deposedMasterWrites checked already; taken for zero where there is no grace period
         */
        public Guard {
            deposedMasterWrites = gracePeriod.isZero() ? Duration.ZERO : deposedMasterWrites;
        }

        /**
         * The guard as it is unless configured otherwise: a new server is trusted, a deposed master takes no writes.
         *
         * @param gracePeriod how long a server that may have forgotten locks grants no free lock
         * @return the guard
         */
        public static Guard of(Duration gracePeriod) {
            return new Guard(gracePeriod, FirstUse.GRANT, Duration.ZERO);
        }

        /**
         * Whether free locks are granted at once, including those that the server has forgotten.
         *
         * @return true if there is no grace period
         */
        public boolean isOff() {
            return gracePeriod.isZero();
        }

        /**
         * Whether the guard relies on a master that writes nothing once another one is promoted.
         *
         * @return true if no time is configured for which such a master may go on
         */
        public boolean trustsDeposedMasters() {
            return !isOff() && deposedMasterWrites.isZero();
        }

        /**
         * How old a history must be for grants: then every lease from before is over.
         *
         * @return the grace
         */
        public Duration grace() {
            return gracePeriod.plus(deposedMasterWrites);
        }

        /**
         * Checks whether every lease from before is over when locks are granted again.
         *
         * @param gracePeriod how long a server that may have forgotten locks grants no free lock
         * @param longestLease of any client that shares the prefix
         * @throws IllegalArgumentException when some are not, though there is a grace period
         */
        public static void checkGracePeriod(Duration gracePeriod, Duration longestLease) {
            if (!gracePeriod.isZero() && gracePeriod.compareTo(longestLease) < 0) {
                throw new IllegalArgumentException("distributed-lock.redis.grace-period is "
                        + DurationText.exactly(gracePeriod)
                        + "; it must be 0s, or at least distributed-lock.max-lease ("
                        + DurationText.exactly(longestLease)
                        + "): for that long, locks that Redis has forgotten are held. Raise it, or remove it:"
                        + " the default is max-lease");
            }
        }

        /**
         * Checks whether a lock can outlast the time in which no lock is renewed.
         *
         * @param deposedMasterWrites how long that is
         * @param lease of the lock
         * @throws IllegalArgumentException when it cannot
         */
        public static void checkDeposedMasterWrites(Duration deposedMasterWrites, Duration lease) {
            if (deposedMasterWrites.isNegative()
                    || deposedMasterWrites.multipliedBy(SHARE_OF_LEASE).compareTo(lease) > 0) {
                throw new IllegalArgumentException("distributed-lock.redis.deposed-master-writes is "
                        + DurationText.exactly(deposedMasterWrites)
                        + "; it must be between 0ms and a third of every lease ("
                        + DurationText.exactly(lease)
                        + "): the server renews no lock for this time after a failover, and holders"
                        + " must not lose their locks. Lower this time, or raise the lease");
            }
        }
    }

    /**
     * The options of an application's Redis client, changed to what locks need: this command timeout, also for
     * connecting, a bounded request queue, and reconnecting, for which commands wait.
     *
     * @param application the application's own options
     * @return the options of the lock's client; everything else is left
     */
    public ClientOptions tune(ClientOptions application) {
        SocketOptions socket = application.getSocketOptions();
        Duration connectTimeout =
                socket.getConnectTimeout().compareTo(commandTimeout) < 0 ? socket.getConnectTimeout() : commandTimeout;
        return application
                .mutate()
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.DEFAULT)
                .suspendReconnectOnProtocolFailure(false)
                .requestQueueSize(REQUEST_QUEUE_SIZE)
                .timeoutOptions(TimeoutOptions.enabled(commandTimeout))
                .socketOptions(socket.mutate().connectTimeout(connectTimeout).build())
                .build();
    }

    /**
     * The options of an application's Redis Cluster client, changed to what locks need: as {@link #tune}, and the nodes
     * are asked which of them has what after every sign of a change, and twice a minute without.
     *
     * @param application the application's own options
     * @return the options of the lock's client; everything else is left
     */
    @SuppressWarnings("deprecation") // what Lettuce 7 does anyway has to be asked for with Lettuce 6
    public ClusterClientOptions tuneCluster(ClientOptions application) {
        ClientOptions tuned = tune(application);
        ClusterClientOptions cluster = tuned instanceof ClusterClientOptions already
                ? already
                : ClusterClientOptions.builder(tuned).build();
        ClusterTopologyRefreshOptions theirs = cluster.getTopologyRefreshOptions() == null
                ? ClusterTopologyRefreshOptions.create()
                : cluster.getTopologyRefreshOptions();
        Duration period =
                theirs.isPeriodicRefreshEnabled() && theirs.getRefreshPeriod().compareTo(REFRESH_PERIOD) < 0
                        ? theirs.getRefreshPeriod()
                        : REFRESH_PERIOD;
        return cluster.mutate()
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .dynamicRefreshSources(theirs.useDynamicRefreshSources())
                        .enableAllAdaptiveRefreshTriggers()
                        .adaptiveRefreshTriggersTimeout(REFRESH_PAUSE)
                        .refreshTriggersReconnectAttempts(1)
                        .enablePeriodicRefresh(period)
                        .build())
                .build();
    }

    private static void checkPrefix(String prefix) {
        if (prefix.isBlank() || prefix.length() > MAX_PREFIX_LENGTH) {
            throw new IllegalArgumentException(
                    "distributed-lock.key-prefix has " + prefix.strip().length() + " characters; it must have 1 to "
                            + MAX_PREFIX_LENGTH + ", such as 'lock:'");
        }
        if (prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
            throw new IllegalArgumentException("distributed-lock.key-prefix '" + prefix
                    + "' has a brace; the backend puts the lock key in braces, so that its Redis keys share a slot."
                    + " Choose a prefix without braces, such as 'lock:'");
        }
        KEYS_OF_SLOTS.stream().filter(prefix::endsWith).findAny().ifPresent(end -> {
            throw new IllegalArgumentException("distributed-lock.key-prefix '" + prefix + "' ends with '" + end
                    + "': in a cluster its locks would be mistaken for keys that the prefix '"
                    + prefix.substring(0, prefix.length() - end.length() + 1)
                    + "' has in each slot. Choose another prefix, such as '" + prefix.substring(0, prefix.length() - 1)
                    + "-locks:'");
        });
        if (prefix.codePoints().anyMatch(c -> Character.isISOControl(c) || isSurrogate(c))) {
            throw new IllegalArgumentException("distributed-lock.key-prefix has a control character or half a surrogate"
                    + " pair. Choose a printable one, such as 'lock:'");
        }
    }

    private static boolean isSurrogate(int codePoint) {
        return Character.getType(codePoint) == Character.SURROGATE;
    }
}
