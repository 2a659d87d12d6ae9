package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.kit.redis.RedisServer;
import java.util.function.Function;

/** What the locks of an exhibit are kept on. */
@SuppressWarnings("ImmutableEnumChecker") // Functions without state.
enum ServerKind {
    /** The server of the counter: the contexts of the callers stay from one such exhibit to the next. */
    STANDALONE(ExhibitServers.Standalone::new),
    /** A master, replicas and sentinels. */
    SENTINEL(store -> new SentinelServers()),
    /** Five servers, one of which is about to have a wrong clock. */
    QUORUM_WITH_A_CLOCK(store -> new QuorumOfServers(QuorumOfServers.Fault.CLOCK_JUMPS)),
    /** Five servers, one of which is about to restart. */
    QUORUM_WITH_A_RESTART(store -> new QuorumOfServers(QuorumOfServers.Fault.RESTARTS_EMPTY));

    private final Function<RedisServer, ExhibitServers> factory;

    ServerKind(Function<RedisServer, ExhibitServers> factory) {
        this.factory = factory;
    }

    /**
     * Starts them; the caller closes them.
     *
     * @param store the server of the counter
     */
    ExhibitServers start(RedisServer store) {
        return factory.apply(store);
    }
}
