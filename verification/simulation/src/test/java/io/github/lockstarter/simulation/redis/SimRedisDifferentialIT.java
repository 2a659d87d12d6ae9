package io.github.lockstarter.simulation.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.testing.Effort;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * {@link SimRedis} and a real server execute the same random commands at the same times: replies, keys, expiry in
 * milliseconds, and messages are the same, and a real replica has the same data as a simulated one. The clock of the
 * real server stands still between commands. Prints the seed; {@code -Dlock.test.seed} repeats it.
 */
class SimRedisDifferentialIT {

    private static final int EPISODES = Effort.of(20, 2_000);
    private static final int COMMANDS = 150;
    private static final int REPLICA_EVERY = 5;

    private static RedisServer server;
    private static RedisServer replica;
    private static LuaInterpreter lua;

    @BeforeAll
    static void start() {
        assumeTrue(RedisServer.canSetClock(), "No clock of a server can be stopped here");
        server = RedisServer.start("--repl-diskless-sync-delay", "0");
        replica = RedisServer.start();
        Instant time =
                Instant.EPOCH.plus(ComparedServers.START, ChronoUnit.MICROS); // later, the link would seem too old
        server.freezeClock(time);
        replica.freezeClock(time);
        replica.follow(server);
        await().until(() -> "up".equals(replica.info("replication").get("master_link_status")));
        lua = new LuaInterpreter();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            replica.close();
            server.close();
            lua.close();
        }
    }

    @Test
    void answersLikeARealServer() {
        long seed = Long.getLong("lock.test.seed", System.nanoTime());
        System.out.println("SimRedisDifferentialIT with -Dlock.test.seed=" + seed);
        long began = System.nanoTime();

        for (int episode = 0; episode < EPISODES; episode++) {
            run(seed + episode, COMMANDS, new ComparedServers(server, replica, lua, SimRedis::new));
        }

        System.out.printf(
                "%d commands compared in %d ms%n", EPISODES * COMMANDS, (System.nanoTime() - began) / 1_000_000);
    }

    /** A control: the comparison finds one rule that is wrong. */
    @Test
    void findsAServerWhosePexpireDoesNothing() {
        assertThatThrownBy(() -> {
                    for (int seed = 0; seed < 100; seed++) {
                        run(seed, COMMANDS, new ComparedServers(server, replica, lua, KeepingTheEnd::new));
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("-Dlock.test.seed=");
    }

    private static final class KeepingTheEnd extends SimRedis {

        KeepingTheEnd(LuaInterpreter lua, LongSupplier time, Supplier<String> ids) {
            super(lua, time, ids);
        }

        @Override
        public Reply call(List<String> command) {
            return command.get(0).equals("PEXPIRE")
                    ? super.call(List.of("EXISTS", command.get(1)))
                    : super.call(command);
        }
    }

    private static void run(long seed, int commands, ComparedServers servers) {
        Random random = new Random(seed);
        try (servers) {
            RandomCommands lots = servers.commands(random);
            for (int i = 0; i < commands; i++) {
                servers.passTime(random);
                servers.execute(lots.next(), "command " + i + " of -Dlock.test.seed=" + seed);
                if (i % REPLICA_EVERY == REPLICA_EVERY - 1) {
                    servers.compareReplicas("replicas after command " + i + " of -Dlock.test.seed=" + seed);
                }
            }
        }
    }
}
