package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.kit.redis.RedisServer;
import java.util.function.Function;

@SuppressWarnings("ImmutableEnumChecker") // Stateless functions.
enum ExhibitServerKind {
    /** The server of the counter, so callers keep their contexts between such exhibits. */
    STANDALONE(ExhibitServers.Standalone::new),
    SENTINEL(store -> new SentinelServers()),
    /** Five servers, one with a clock jump. */
    QUORUM_WITH_A_CLOCK(store -> new QuorumOfServers(QuorumOfServers.Fault.CLOCK_JUMPS)),
    /** Five servers, one of which restarts. */
    QUORUM_WITH_A_RESTART(store -> new QuorumOfServers(QuorumOfServers.Fault.RESTARTS_EMPTY));

    private final Function<RedisServer, ExhibitServers> factory;

    ExhibitServerKind(Function<RedisServer, ExhibitServers> factory) {
        this.factory = factory;
    }

    /**
     * Starts the servers, which the caller closes.
     *
     * @param store the server of the counter
     */
    ExhibitServers start(RedisServer store) {
        return factory.apply(store);
    }
}
