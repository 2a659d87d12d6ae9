package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.kit.redis.RedisServer;
import java.util.function.Supplier;

/** What the locks of an exhibit are kept on. */
@SuppressWarnings("ImmutableEnumChecker") // Functions without state.
enum ServerKind {
    /** One server. */
    STANDALONE(() -> new ExhibitServers.Standalone(RedisServer.start())),
    /** A master, replicas and sentinels. */
    SENTINEL(SentinelServers::new),
    /** Five servers, one of which is about to have a wrong clock. */
    QUORUM_WITH_A_CLOCK(() -> new QuorumOfServers(QuorumOfServers.Fault.CLOCK_JUMPS)),
    /** Five servers, one of which is about to restart. */
    QUORUM_WITH_A_RESTART(() -> new QuorumOfServers(QuorumOfServers.Fault.RESTARTS_EMPTY));

    private final Supplier<ExhibitServers> factory;

    ServerKind(Supplier<ExhibitServers> factory) {
        this.factory = factory;
    }

    /** Starts them; the caller closes them. */
    ExhibitServers start() {
        return factory.get();
    }
}
