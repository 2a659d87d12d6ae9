package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** One Redis server, with or without its data after a crash. */
public final class Standalone implements RedisTopology {

    private final String name;
    private final Set<Trait> traits;
    private final RedisServer server;

    private Standalone(String name, Set<Trait> traits, String... arguments) {
        this.name = name;
        this.traits = Set.copyOf(traits);
        this.server = RedisServer.start(arguments);
    }

    /**
     * Starts a server that passes each write to the operating system before it answers, so writes survive a kill -9 of
     * the process. To survive a crash of the machine, it would need {@code appendfsync always}, which behaves the same
     * but at the speed of the disk. Close the server.
     */
    public static Standalone durable() {
        return new Standalone(
                "standalone",
                EnumSet.of(
                        Trait.REDIS,
                        Trait.PROXIED,
                        Trait.DURABLE,
                        Trait.ALONE,
                        Trait.HISTORY_GUARD,
                        Trait.TAKEOVER,
                        Trait.HALF_OPEN),
                "--appendonly",
                "yes",
                "--appendfsync",
                "no",
                // Otherwise it reads every grant of the session again after a restart, for ten seconds and more.
                "--auto-aof-rewrite-min-size",
                "1mb");
    }

    /** Starts a server without persistence; close it. */
    public static Standalone forgetful() {
        return new Standalone(
                "forgetful",
                EnumSet.of(
                        Trait.REDIS, Trait.PROXIED, Trait.ALONE, Trait.HISTORY_GUARD, Trait.TAKEOVER, Trait.HALF_OPEN));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Set<Trait> traits() {
        return traits;
    }

    @Override
    public List<RedisServer> servers() {
        return List.of(server);
    }

    @Override
    public Link link() {
        TcpProxy proxy = TcpProxy.before(server);
        return new Link(Address.of(Address.Kind.SINGLE, List.of(proxy)), List.of(proxy));
    }

    @Override
    public void close() {
        server.close();
    }
}
