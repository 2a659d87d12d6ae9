package io.github.lockstarter.demo.gallery.play;

import io.github.lockstarter.demo.experiment.stage.Belongings;
import io.github.lockstarter.demo.experiment.stage.RedisConsole;
import java.util.function.BiFunction;

/** What the locks of an exhibit are kept on. */
@SuppressWarnings("ImmutableEnumChecker") // Functions without state.
enum ServerKind {
    /** One server. */
    STANDALONE(ExhibitServers.Standalone::new),
    /** A master and a replica. */
    REPLICA((console, owner) -> new ReplicatedServers(console, owner, 1)),
    /** A master and two replicas. */
    TWO_REPLICAS((console, owner) -> new ReplicatedServers(console, owner, 2)),
    /** Five servers, one of which is about to have a wrong clock. */
    QUORUM_WITH_A_CLOCK((console, owner) -> new QuorumOfServers(console, owner, QuorumOfServers.Fault.CLOCK_JUMPS)),
    /** Five servers, one of which is about to restart. */
    QUORUM_WITH_A_RESTART(
            (console, owner) -> new QuorumOfServers(console, owner, QuorumOfServers.Fault.RESTARTS_EMPTY));

    private final BiFunction<RedisConsole, Belongings, ExhibitServers> factory;

    ServerKind(BiFunction<RedisConsole, Belongings, ExhibitServers> factory) {
        this.factory = factory;
    }

    /**
     * Starts them.
     *
     * @param owner ends them, also when they do not all start
     */
    ExhibitServers start(RedisConsole console, Belongings owner) {
        return factory.apply(console, owner);
    }
}
