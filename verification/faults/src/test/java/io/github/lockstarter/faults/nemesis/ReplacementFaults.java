package io.github.lockstarter.faults.nemesis;

import static io.github.lockstarter.faults.nemesis.RedisFaults.fault;

import io.github.lockstarter.faults.nemesis.Fault.Harm;
import io.github.lockstarter.faults.nemesis.Fault.Healing;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Operator;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;

/** Faults that leave connections open to no server, or to the wrong one, and never close them. */
final class ReplacementFaults {

    private ReplacementFaults() {}

    static List<Fault> all() {
        return List.of(
                fault(
                        "server-replaced",
                        "all connections to a server hang, and another one without data has its address",
                        Terms.lasting(1500, 3000, Trait.PROXIED, Trait.ALONE).doing(Harm.FORGETS),
                        site -> {
                            RedisServer server = site.redisServer();
                            site.linksTo(server).forEach(TcpProxy::forget);
                            server.commands().configSet("appendonly", "no");
                            server.kill();
                            return () -> {
                                server.restart();
                                server.commands().flushall();
                            };
                        }),
                fault(
                        "master-demoted",
                        "an operator replaces the master by a replica; no connection is closed",
                        Terms.lasting(500, 1500, Trait.OPERATED).doing(Harm.FORGETS),
                        site -> {
                            operator(site).replace(site.redisServer());
                            return Healing.NONE;
                        }),
                fault(
                        "two-masters",
                        "an operator promotes a replica, the master stays one, and a worker has to connect again",
                        Terms.lasting(8000, 12000, Trait.OPERATED),
                        site -> {
                            RedisServer master = site.redisServer();
                            operator(site).promote(master);
                            site.victim().links().forEach(TcpProxy::forget);
                            return () -> operator(site).settle(master);
                        }));
    }

    private static Operator operator(Site site) {
        return site.redis().operator().orElseThrow();
    }
}
