package io.github.lockstarter.sample.gallery.play;

import io.github.lockstarter.sample.experiment.stage.RedisConsole;
import java.util.function.Function;

/** What the locks of an exhibit are kept on. */
@SuppressWarnings("ImmutableEnumChecker") // Functions without state.
enum ServerKind {
    /** One server. */
    STANDALONE(ExhibitServers.Standalone::new),
    /** A master and a replica. */
    REPLICA(console -> new ReplicatedServers(console, 1)),
    /** A master and two replicas. */
    TWO_REPLICAS(console -> new ReplicatedServers(console, 2)),
    /** Five servers, one of which is about to have a wrong clock. */
    QUORUM_WITH_A_CLOCK(console -> new QuorumOfServers(console, QuorumOfServers.Fault.CLOCK_JUMPS)),
    /** Five servers, one of which is about to restart. */
    QUORUM_WITH_A_RESTART(console -> new QuorumOfServers(console, QuorumOfServers.Fault.RESTARTS_EMPTY));

    private final Function<RedisConsole, ExhibitServers> factory;

    ServerKind(Function<RedisConsole, ExhibitServers> factory) {
        this.factory = factory;
    }

    ExhibitServers start(RedisConsole console) {
        return factory.apply(console);
    }
}
