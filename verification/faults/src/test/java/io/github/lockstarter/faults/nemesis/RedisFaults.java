package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Harm;
import io.github.lockstarter.faults.nemesis.Fault.Healing;
import io.github.lockstarter.faults.nemesis.Fault.Injection;
import io.github.lockstarter.faults.nemesis.Fault.Lane;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;
import java.util.function.Consumer;

/** Faults by which a Redis server loses data, and their creation. */
final class RedisFaults {

    private RedisFaults() {}

    static List<Fault> all() {
        return List.of(
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
            RedisServer server = site.redisServer();
            harm.accept(server);
            return () -> heal.accept(server);
        };
    }

    static Injection once(Consumer<RedisServer> harm) {
        return site -> {
            harm.accept(site.redisServer());
            return Healing.NONE;
        };
    }

    /** A fault of servers that take the commands of Redis. */
    static Fault fault(String name, String description, Terms terms, Injection injection) {
        return new Fault(name, description, Lane.SERVER, terms.needing(Trait.REDIS), injection);
    }
}
