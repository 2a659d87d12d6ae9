package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Harm;
import io.github.lockstarter.faults.nemesis.Fault.Healing;
import io.github.lockstarter.faults.nemesis.Fault.Injection;
import io.github.lockstarter.faults.nemesis.Fault.Lane;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.kit.net.ProxyLink;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.process.ServerProcess;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Faults of stores other than Redis: of a leader that servers elect, of sessions, of single connections. */
final class StoreFaults {

    private StoreFaults() {}

    static List<Fault> all() {
        return List.of(
                fault(
                        "leader-killed",
                        "kill -9 of the leader; it comes back with its data",
                        Terms.lasting(100, 3000, Trait.LEADER, Trait.DURABLE),
                        leader(ServerProcess::kill, ServerProcess::restart)),
                fault(
                        "leader-hung",
                        "SIGSTOP of the leader, which goes on when it is replaced, or is about to be",
                        Terms.lasting(500, 4000, Trait.LEADER),
                        leader(ServerProcess::pause, ServerProcess::resume)),
                fault(
                        "leader-unreachable",
                        "no worker reaches the leader",
                        Terms.lasting(200, 3000, Trait.LEADER, Trait.PROXIED),
                        site -> {
                            List<TcpProxy> links = site.linksTo(site.topology().leader());
                            links.forEach(TcpProxy::refuse);
                            links.forEach(TcpProxy::cut);
                            return () -> links.forEach(TcpProxy::accept);
                        }),
                fault(
                        "session-ended",
                        "an operator ends a session, or a lease, with which locks end",
                        Terms.lasting(20, 20, Trait.SESSIONS).doing(Harm.REVOKES),
                        site -> {
                            site.topology().endSession(site.plan().lot());
                            return Healing.NONE;
                        }),
                fault(
                        "connections-terminated",
                        "an operator ends all connections of all workers",
                        Terms.lasting(20, 20, Trait.TERMINATION, Trait.PROXIED),
                        site -> {
                            terminate(site, site.victims());
                            return Healing.NONE;
                        }),
                fault(
                        "connections-terminated-often",
                        "an operator ends the connections of a worker, again and again",
                        Terms.lasting(1000, 4000, Trait.TERMINATION, Trait.PROXIED),
                        StoreFaults::terminateOften),
                fault(
                        "demoted-without-a-cut",
                        "open connections lead to servers that refuse writes, new ones to their successors",
                        Terms.lasting(20, 20, Trait.DEMOTION),
                        site -> {
                            site.topology().demote();
                            return Healing.NONE;
                        }));
    }

    private static Healing terminateOften(Site site) {
        long gap = (20 + site.plan().lot() % 400) * 1_000_000L;
        long end = System.nanoTime() + site.duration().toNanos();
        while (System.nanoTime() < end) {
            terminate(site, List.of(site.victim()));
            LockSupport.parkNanos(gap);
        }
        return Healing.NONE;
    }

    private static void terminate(Site site, List<Victim> victims) {
        List<? extends ServerProcess> servers = site.topology().servers();
        for (int i = 0; i < servers.size(); i++) {
            int index = i;
            Set<Integer> ports = victims.stream()
                    .flatMap(victim -> victim.links().get(index).open().stream())
                    .map(ProxyLink::portAtServer)
                    .collect(Collectors.toSet());
            site.topology().terminate(servers.get(index), ports);
        }
    }

    private static Injection leader(Consumer<ServerProcess> harm, Consumer<ServerProcess> heal) {
        return site -> {
            ServerProcess leader = site.topology().leader();
            harm.accept(leader);
            return () -> heal.accept(leader);
        };
    }

    private static Fault fault(String name, String description, Terms terms, Injection injection) {
        return new Fault(name, description, Lane.SERVER, terms, injection);
    }
}
