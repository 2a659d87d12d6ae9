package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Harm;
import io.github.lockstarter.faults.nemesis.Fault.Healing;
import io.github.lockstarter.faults.nemesis.Fault.Injection;
import io.github.lockstarter.faults.nemesis.Fault.Lane;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.redis.testing.RedisServer;
import java.util.List;
import java.util.function.Consumer;

/** Faults of a Redis process: it dies, stands still, or refuses. */
final class ServerFaults {

    private ServerFaults() {}

    static List<Fault> all() {
        return List.of(
                fault(
                        "redis-blinked",
                        "SIGSTOP of a server for less than a command timeout",
                        Terms.lasting(20, 250),
                        lasting(RedisServer::pause, RedisServer::resume)),
                fault(
                        "redis-paused",
                        "SIGSTOP of a server",
                        Terms.lasting(100, 2500).doing(Harm.SILENCES),
                        lasting(RedisServer::pause, RedisServer::resume)),
                fault(
                        "redis-killed",
                        "kill -9 of a server; it comes back with its data",
                        Terms.lasting(100, 1500, Trait.DURABLE).doing(Harm.SILENCES),
                        lasting(RedisServer::kill, RedisServer::restart)),
                fault(
                        "redis-restarted",
                        "SIGTERM of a server; it comes back with its data",
                        Terms.lasting(100, 800, Trait.DURABLE).doing(Harm.SILENCES),
                        lasting(RedisServer::stop, RedisServer::restart)),
                fault(
                        "redis-emptied",
                        "kill -9 of a server; it comes back without data",
                        Terms.lasting(100, 800, Trait.ALONE).doing(Harm.FORGETS),
                        lasting(
                                server -> {
                                    server.commands().configSet("appendonly", "no");
                                    server.kill();
                                },
                                server -> {
                                    server.restart();
                                    server.commands().flushall();
                                })),
                fault(
                        "flushall",
                        "an operator empties the server",
                        Terms.lasting(50, 50).doing(Harm.FORGETS),
                        once(server -> server.commands().flushall())));
    }

    static Injection lasting(Consumer<RedisServer> harm, Consumer<RedisServer> heal) {
        return site -> {
            RedisServer server = site.server();
            harm.accept(server);
            return () -> heal.accept(server);
        };
    }

    static Injection once(Consumer<RedisServer> harm) {
        return site -> {
            harm.accept(site.server());
            return Healing.NONE;
        };
    }

    static Fault fault(String name, String description, Terms terms, Injection injection) {
        return new Fault(name, description, Lane.SERVER, terms, injection);
    }
}
