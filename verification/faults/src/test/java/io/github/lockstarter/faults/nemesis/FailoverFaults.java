package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Harm;
import io.github.lockstarter.faults.nemesis.Fault.Injection;
import io.github.lockstarter.faults.nemesis.Fault.Lane;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;
import java.util.function.Function;

/**
 * Faults by which another server becomes master with the data replicated so far: half of the unplanned ones occur while
 * replication has been interrupted for the whole duration of the fault.
 */
final class FailoverFaults {

    private FailoverFaults() {}

    static List<Fault> all() {
        return List.of(
                fault("failover", "an operator has a replica promoted", Succession::of, FailoverFaults::orderly),
                fault(
                        "failover-forced",
                        "an operator has a replica promoted that lags",
                        Succession::lagging,
                        FailoverFaults::orderly),
                fault(
                        "master-killed",
                        "kill -9 of a master; it comes back as a replica, without data",
                        Succession::perhapsLagging,
                        succession -> {
                            succession.master().kill();
                            succession.awaitPromotion();
                            succession.part();
                            succession.master().restart();
                        }),
                fault(
                        "master-hung",
                        "SIGSTOP of a master, which is unreachable when it continues",
                        Succession::perhapsLagging,
                        succession -> {
                            succession.master().pause();
                            succession.awaitPromotion();
                            succession.part();
                            succession.master().resume();
                        }),
                fault(
                        "master-replaced",
                        "SIGSTOP of a master; the connections to it stay open when it is replaced",
                        Succession::perhapsLagging,
                        succession -> {
                            succession.master().pause();
                            succession.awaitPromotion();
                            succession.leaveHanging();
                            succession.master().resume();
                        }),
                fault(
                        "split-brain",
                        "SIGSTOP of a master, which then goes on for as long as is promised",
                        Succession::perhapsLagging,
                        succession -> {
                            succession.master().pause();
                            succession.awaitPromotion();
                            succession.goOnBeside(RedisServer::resume);
                        }),
                new Fault(
                        "sentinel-paused",
                        "SIGSTOP of one of those who watch",
                        Lane.SERVER,
                        Terms.lasting(500, 2500, Trait.FAILOVER, Trait.SENTINELS),
                        site -> {
                            List<RedisServer> sentinels =
                                    site.redis().failover().orElseThrow().sentinels();
                            RedisServer sentinel = sentinels.get(site.plan().lot() % sentinels.size());
                            sentinel.pause();
                            return sentinel::resume;
                        }));
    }

    private static void orderly(Succession succession) {
        succession.promote();
        succession.awaitPromotion();
        succession.goOnBeside(master -> {});
    }

    private static Fault fault(String name, String description, Function<Site, Succession> begin, Course course) {
        Injection injection = site -> {
            Succession succession = begin.apply(site);
            try {
                course.run(succession);
            } finally {
                succession.reconcile();
            }
            return succession::settle;
        };
        return new Fault(
                name,
                description,
                Lane.SERVER,
                Terms.lasting(100, 1500, Trait.FAILOVER).doing(Harm.FORGETS),
                injection);
    }

    /** How a master is replaced. */
    private interface Course {
        void run(Succession succession);
    }
}
