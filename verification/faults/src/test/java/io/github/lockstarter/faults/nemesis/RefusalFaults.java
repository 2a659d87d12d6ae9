package io.github.lockstarter.faults.nemesis;

import static io.github.lockstarter.faults.nemesis.RedisFaults.fault;
import static io.github.lockstarter.faults.nemesis.RedisFaults.lasting;
import static io.github.lockstarter.faults.nemesis.RedisFaults.once;

import io.github.lockstarter.faults.nemesis.Fault.Harm;
import io.github.lockstarter.faults.nemesis.Fault.Healing;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Calls;
import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/** Faults of a Redis that runs and answers, but not as it should. */
final class RefusalFaults {

    /** Never ends on its own; {@code SCRIPT KILL} can end it, since it has written nothing. */
    private static final String BUSY = "local start = redis.call('TIME'); repeat local now = redis.call('TIME')"
            + " until (now[1] - start[1]) * 1000 + (now[2] - start[2]) / 1000 > tonumber(ARGV[1]) return 1";

    private RefusalFaults() {}

    static List<Fault> all() {
        return List.of(
                fault(
                        "script-flush",
                        "the server forgets its scripts",
                        Terms.lasting(20, 20),
                        once(server -> server.commands().scriptFlush())),
                fault(
                        "client-pause",
                        "CLIENT PAUSE: no client gets an answer",
                        Terms.lasting(200, 2000).doing(Harm.SILENCES),
                        site -> {
                            site.redisServer()
                                    .commands()
                                    .clientPause(site.duration().toMillis());
                            return Healing.NONE;
                        }),
                fault(
                        "busy-script",
                        "a script that keeps the server busy",
                        Terms.lasting(200, 1500).doing(Harm.SILENCES),
                        site -> {
                            busy(site.redisServer(), site.duration().toMillis());
                            return Healing.NONE;
                        }),
                fault(
                        "oom",
                        "maxmemory is reached: writes are refused",
                        Terms.lasting(200, 2000),
                        lasting(
                                server -> config(server, "maxmemory", "1"),
                                server -> config(server, "maxmemory", "0"))),
                fault(
                        "readonly",
                        "the server becomes a replica of a master that does not exist, and a master again",
                        Terms.lasting(200, 2000).doing(Harm.SILENCES),
                        lasting(server -> server.commands().replicaof("127.0.0.1", 1), server -> server.commands()
                                .replicaofNoOne())),
                fault(
                        "noreplicas",
                        "min-replicas-to-write: writes are refused",
                        Terms.lasting(200, 2000).doing(Harm.SILENCES),
                        lasting(
                                server -> config(server, "min-replicas-to-write", "1"),
                                server -> config(server, "min-replicas-to-write", "0"))),
                fault(
                        "mailboxes-killed",
                        "CLIENT KILL TYPE pubsub",
                        Terms.lasting(20, 20),
                        once(server -> server.commands().clientKill(KillArgs.Builder.typePubsub()))),
                fault(
                        "connections-killed",
                        "CLIENT KILL TYPE normal",
                        Terms.lasting(20, 20),
                        once(server -> server.commands()
                                .clientKill(KillArgs.Builder.typeNormal().skipme()))));
    }

    private static void config(RedisServer server, String name, String value) {
        Calls.to(server, commands -> commands.configSet(name, value));
    }

    /** The fixture's own command times out if the script is long; the script ends on its own. */
    private static void busy(RedisServer server, long millis) {
        RedisCommands<String, String> commands = server.commands();
        commands.configSet("busy-reply-threshold", "50"); // others are refused then, and not only kept waiting
        try {
            commands.eval(BUSY, ScriptOutputType.INTEGER, new String[0], Long.toString(millis));
        } catch (RedisException e) {
            throw new IllegalStateException("The busy script failed", e);
        }
    }
}
