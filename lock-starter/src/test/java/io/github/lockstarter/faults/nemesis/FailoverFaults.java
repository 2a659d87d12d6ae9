package io.github.lockstarter.faults.nemesis;

import static io.github.lockstarter.faults.nemesis.ServerFaults.fault;

import io.github.lockstarter.faults.nemesis.Fault.Harm;
import io.github.lockstarter.faults.nemesis.Fault.Healing;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Topology.Failover;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.testing.RedisServer;
import java.util.List;

/** Faults by which another server becomes the master, with what it had been sent until then. */
final class FailoverFaults {

    private FailoverFaults() {}

    static List<Fault> all() {
        return List.of(
                fault("failover", "an operator has a replica promoted", terms(50), site -> {
                    failover(site).promote();
                    return Healing.NONE;
                }),
                fault("master-lost", "kill -9 of the master; it comes back as a replica", terms(2000), site -> {
                    Failover failover = failover(site);
                    RedisServer master = failover.master();
                    master.kill();
                    failover.awaitPromotion(master);
                    return master::restart;
                }),
                fault("split-brain", "SIGSTOP of the master until a replica was promoted", terms(50), site -> {
                    Failover failover = failover(site);
                    RedisServer master = failover.master();
                    master.pause();
                    failover.awaitPromotion(master);
                    return master::resume;
                }));
    }

    private static Failover failover(Site site) {
        return site.topology().failover().orElseThrow();
    }

    private static Terms terms(int longestMillis) {
        return Terms.lasting(50, longestMillis, Trait.FAILOVER).doing(Harm.FORGETS);
    }
}
