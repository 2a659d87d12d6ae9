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
 * Settings for locks in Redis.
 *
 * @param keyPrefix prefix of all keys and channels; clients with the same prefix share their locks
 * @param commandTimeout after this time the outcome of a command is unknown
 * @param guard handling of a server that may have forgotten locks
 * @param singleMaster how it is known that no other master grants the same locks
 * @param keyLayout layout of the keys behind a single address
 */
public record RedisSettings(
        String keyPrefix, Duration commandTimeout, HistoryGuard guard, SingleMaster singleMaster, KeyLayout keyLayout) {

    /** Longest prefix in characters. */
    public static final int MAX_PREFIX_LENGTH = 64;

    /** Shortest command timeout: about the resolution of Lettuce's timer. */
    public static final Duration MIN_COMMAND_TIMEOUT = Duration.ofMillis(100);

    /** Longest command timeout; a later answer would be of no use to a caller. */
    public static final Duration MAX_COMMAND_TIMEOUT = Duration.ofMinutes(1);

    /** Start of the per-slot keys of a cluster, under a prefix that ends with a colon. */
    private static final List<String> KEYS_OF_SLOTS = List.of(":history:", ":fence:");

    /** Prefix {@code lock:}, 2 s, and the history guard for leases of up to 30 s. */
    public static final RedisSettings DEFAULTS =
            new RedisSettings("lock:", Duration.ofSeconds(2), HistoryGuard.of(Duration.ofSeconds(30)));

    /** Commands that may wait in the client; all renewals of one tick must fit. */
    static final int REQUEST_QUEUE_SIZE = 32_768;

    /** Lettuce 7 ignores a negative time. */
    private static final Duration NOT_RELAXED = Duration.ofMillis(-1);

    private static final Duration REFRESH_PERIOD = Duration.ofSeconds(30);
    private static final Duration REFRESH_PAUSE = Duration.ofSeconds(1);

    /**
     * Validates the settings.
     *
     * @param keyPrefix 1 to {@value #MAX_PREFIX_LENGTH} printable characters without braces, not ending with {@code
     *     :history:} or {@code :fence:}
     * @param commandTimeout from {@link #MIN_COMMAND_TIMEOUT} to {@link #MAX_COMMAND_TIMEOUT}
     * @param guard already validated
     * @param singleMaster any
     * @param keyLayout any
     * @throws IllegalArgumentException if a value is out of range; names the property
     */
    public RedisSettings {
        checkPrefix(keyPrefix);
        DurationText.check(
                "distributed-lock.redis.command-timeout", commandTimeout, MIN_COMMAND_TIMEOUT, MAX_COMMAND_TIMEOUT);
    }

    /**
     * Creates settings for a server that is asked whether it is the only master, and which layout it has.
     *
     * @param keyPrefix as above
     * @param commandTimeout as above
     * @param guard as above
     * @throws IllegalArgumentException if a value is out of range; names the property
     */
    public RedisSettings(String keyPrefix, Duration commandTimeout, HistoryGuard guard) {
        this(keyPrefix, commandTimeout, guard, SingleMaster.CHECKED, KeyLayout.AUTO);
    }

    /** How it is known that no other master accepts writes to the same keys, as in an Active-Active database. */
    public enum SingleMaster {
        /** The start asks the server, and fails if there may be another. */
        CHECKED,
        /** The operator has declared that all instances use one master. */
        DECLARED
    }

    /** Which keys belong to the locks. All clients with one prefix use the same layout. */
    public enum KeyLayout {
        /** The first connection finds out whether the address leads to one server or to shards. */
        AUTO,
        /** All locks share a fencing counter and a history, and calls for several locks share a script. */
        STANDALONE,
        /** Each hash slot has a fencing counter and a history, so that shards can have the locks. */
        CLUSTER
    }

    /** How an instance without a marker treats a server without a marker that was never promoted. */
    public enum FirstUse {
        /** As a new server: locks are granted at once. */
        GRANT,
        /** As a server that lost its data: free locks are granted after the grace. */
        GRACE
    }

    /** Whether a failover or restart may forget acknowledged writes. */
    public enum Durability {
        /** It may. */
        UNKNOWN,
        /** The operator has declared that it forgets none, as in Amazon MemoryDB. */
        DECLARED
    }

    /**
     * The history guard.
     *
     * @param gracePeriod how long a server that may have forgotten locks grants no free lock: at least the longest
     *     lease of all clients with this prefix, which must configure the same; zero turns the guard off
     * @param firstUse whether to trust a server that seems new
     * @param deposedMasterWrites how long a master may accept writes after another was promoted; extends the grace
     *     period; zero for never
     * @param durability with a declaration, only lost data begin a grace period, and no failover or restart
     */
    public record HistoryGuard(
            Duration gracePeriod, FirstUse firstUse, Duration deposedMasterWrites, Durability durability) {

        /** A third of a lease is half of what remains when its first renewal is due; that renewal gets the rest. */
        private static final int SHARE_OF_LEASE = 3;

        /**
         * Ignores {@code deposedMasterWrites} without a grace period.
         *
         * @param gracePeriod already validated
         * @param firstUse whether to trust a server that seems new
         * @param deposedMasterWrites already validated
         * @param durability contradicts both an absent grace period and writes of a deposed master
         * @throws IllegalArgumentException for a contradiction
         */
        public HistoryGuard {
            if (durability == Durability.DECLARED && (gracePeriod.isZero() || !deposedMasterWrites.isZero())) {
                throw new IllegalArgumentException("distributed-lock.redis.durable is true, and "
                        + (gracePeriod.isZero()
                                ? "grace-period is 0s, which is for servers that forget locks"
                                : "deposed-master-writes is " + DurationText.exactly(deposedMasterWrites)
                                        + ", which is for masters whose writes get lost")
                        + ". Remove one of them");
            }
            deposedMasterWrites = gracePeriod.isZero() ? Duration.ZERO : deposedMasterWrites;
        }

        /**
         * Creates a guard for a server that may forget acknowledged writes.
         *
         * @param gracePeriod as above
         * @param firstUse as above
         * @param deposedMasterWrites as above
         */
        public HistoryGuard(Duration gracePeriod, FirstUse firstUse, Duration deposedMasterWrites) {
            this(gracePeriod, firstUse, deposedMasterWrites, Durability.UNKNOWN);
        }

        /** {@return whether failovers and restarts forget no acknowledged write, by declaration} */
        public boolean isDurable() {
            return durability == Durability.DECLARED;
        }

        /**
         * {@return a guard that trusts a new server and expects no writes of a deposed master}
         *
         * @param gracePeriod how long a server that may have forgotten locks grants no free lock
         */
        public static HistoryGuard of(Duration gracePeriod) {
            return new HistoryGuard(gracePeriod, FirstUse.GRANT, Duration.ZERO);
        }

        /** {@return whether free locks are granted at once, including forgotten ones} */
        public boolean isOff() {
            return gracePeriod.isZero();
        }

        /** {@return whether the guard relies on a deposed master accepting no writes} */
        public boolean trustsDeposedMasters() {
            return !isOff() && deposedMasterWrites.isZero();
        }

        /** {@return the minimum age of a history for grants; all earlier leases have ended by then} */
        public Duration grace() {
            return gracePeriod.plus(deposedMasterWrites);
        }

        /**
         * Checks that all earlier leases end within the grace period.
         *
         * @param gracePeriod zero, or at least the longest lease
         * @param longestLease of any client with this prefix
         * @throws IllegalArgumentException if the grace period is too short
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
         * Checks that a lock outlasts the time in which nothing is renewed after a failover.
         *
         * @param deposedMasterWrites that time
         * @param lease of the lock
         * @throws IllegalArgumentException if the lock may expire
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
     * {@return a copy of the options for locks: the command timeout, also for connecting, a bounded request queue, and
     * automatic reconnect, for which commands wait}
     *
     * @param application application's options
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
                .timeoutOptions(timeoutOptions())
                .socketOptions(socket.mutate().connectTimeout(connectTimeout).build())
                .build();
    }

    /** Lettuce 7 adds 10 s to a timeout while a managed service announces maintenance, unless told otherwise. */
    private TimeoutOptions timeoutOptions() {
        TimeoutOptions.Builder options =
                TimeoutOptions.builder().timeoutCommands().fixedTimeout(commandTimeout);
        try {
            TimeoutOptions.Builder.class
                    .getMethod("relaxedTimeoutsDuringMaintenance", Duration.class)
                    .invoke(options, NOT_RELAXED);
        } catch (NoSuchMethodException lettuce6) {
            // has no such timeouts
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        return options.build();
    }

    /**
     * {@return the options of {@link #tune}, with a refresh of the topology after every sign of a change and every 30
     * s}
     *
     * @param application application's options
     */
    @SuppressWarnings("deprecation") // Lettuce 7's default, which Lettuce 6 needs explicitly
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
