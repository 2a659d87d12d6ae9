package io.github.lockstarter.demo.gallery.play;

import io.github.lockstarter.demo.experiment.stage.Belongings;
import io.github.lockstarter.demo.experiment.stage.RedisConsole;
import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import io.github.lockstarter.sample.redis.MovableClock;
import io.github.lockstarter.sample.redis.RedisSetup;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Five servers that know nothing of each other. The last two cannot be reached by the part that takes the lock first;
 * the third is the one that forgets.
 */
final class QuorumOfServers extends ExhibitServers {

    private static final int SIZE = 5;
    private static final int REACHED_BY_FIRST = 3;
    private static final int FORGETFUL = 2;
    private static final Duration JUMP = Duration.ofSeconds(60);

    private final List<EmbeddedRedis> servers =
            IntStream.range(0, SIZE).mapToObj(i -> start(RedisSetup.inMemory())).toList();
    private final List<Integer> nobody = IntStream.range(REACHED_BY_FIRST, SIZE)
            .mapToObj(i -> Loopback.freePort())
            .toList();
    private final Fault fault;
    private Duration ahead = Duration.ZERO;

    /** How the third server forgets. */
    enum Fault {
        /** Its clock is set forward, so that what has an expiry ends. */
        CLOCK_JUMPS,
        /** It is killed and started again, without its data. */
        RESTARTS_EMPTY
    }

    QuorumOfServers(RedisConsole console, Belongings owner, Fault fault) {
        super(console, owner);
        this.fault = fault;
    }

    @Override
    List<Integer> ports(int part) {
        return IntStream.range(0, SIZE)
                .mapToObj(i -> part == FIRST && i >= REACHED_BY_FIRST
                        ? nobody.get(i - REACHED_BY_FIRST)
                        : Integer.valueOf(servers.get(i).port()))
                .toList();
    }

    @Override
    List<String> properties(int part) {
        return List.of(
                "distributed-lock.backend=redlock",
                "distributed-lock.redlock.nodes="
                        + ports(part).stream()
                                .map(port -> Loopback.HOST + ":" + port)
                                .collect(Collectors.joining(",")),
                "distributed-lock.redlock.node-timeout=400ms",
                "distributed-lock.lease=2s",
                "distributed-lock.max-lease=2s");
    }

    @Override
    String forget(String key) {
        EmbeddedRedis server = servers.get(FORGETFUL);
        if (fault == Fault.RESTARTS_EMPTY) {
            server.kill();
            server.restart();
            return "Server 3 of 5 is killed and started again, empty";
        }
        ahead = ahead.plus(JUMP);
        MovableClock.of(server).set(ahead);
        return "The clock of server 3 of 5 jumps forward by " + JUMP.toSeconds() + " s";
    }
}
