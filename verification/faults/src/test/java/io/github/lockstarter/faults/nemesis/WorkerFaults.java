package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Healing;
import io.github.lockstarter.faults.nemesis.Fault.Injection;
import io.github.lockstarter.faults.nemesis.Fault.Lane;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Topology.Trait;
import java.util.List;

/**
 * Faults of the JVMs that use locks. With so many threads on so few keys, each of them holds and waits at any moment.
 */
final class WorkerFaults {

    private WorkerFaults() {}

    static List<Fault> all() {
        Injection pause = site -> {
            Victim victim = site.victim();
            victim.pause();
            return victim::resume;
        };
        return List.of(
                fault("worker-killed", "kill -9 of a JVM that holds and waits", Terms.lasting(200, 1500), site -> {
                    Victim victim = site.victim();
                    victim.kill();
                    return victim::revive;
                }),
                fault(
                        "worker-cloned",
                        "kill -9 of a JVM, and a restored checkpoint of another one in its place",
                        Terms.lasting(200, 1500),
                        site -> {
                            Victim victim = site.victim();
                            victim.kill();
                            return () -> victim.reviveAsCloneOf(site.neighbour());
                        }),
                fault("worker-paused", "SIGSTOP of a JVM for less than a lease", Terms.lasting(100, 1000), pause),
                fault("worker-overslept", "SIGSTOP of a JVM for longer than a lease", Terms.lasting(2200, 4500), pause),
                fault(
                        "worker-frozen",
                        "SIGSTOP of a JVM for longer than the takeover time",
                        Terms.lasting(1500, 8000, Trait.TAKEOVER),
                        pause),
                fault(
                        "foreign-thread-blocked",
                        "an event loop that is not the lock client's uses a lock, then blocks",
                        Terms.lasting(1000, 6000),
                        site -> {
                            site.victim().blockForeignThread(site.duration().toMillis());
                            return Healing.NONE;
                        }));
    }

    private static Fault fault(String name, String description, Terms terms, Injection injection) {
        return new Fault(name, description, Lane.WORKER, terms, injection);
    }
}
