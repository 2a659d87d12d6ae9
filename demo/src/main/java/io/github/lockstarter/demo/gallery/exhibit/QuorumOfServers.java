package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Five independent servers. The first caller cannot reach the last two; the third one loses its data. */
final class QuorumOfServers implements ExhibitServers {

    private static final int SIZE = 5;
    private static final int REACHED_BY_FIRST = 3;
    private static final int FAILING = 2;
    private static final Duration JUMP = Duration.ofSeconds(60);

    private final RedisQuorum quorum = RedisQuorum.start(SIZE);
    private final Fault fault;

    enum Fault {
        /** Its clock jumps forward, so leases expire. */
        CLOCK_JUMPS,
        /** It restarts without its data. */
        RESTARTS_EMPTY
    }

    QuorumOfServers(Fault fault) {
        this.fault = fault;
    }

    /** Nothing listens on single-digit ports. */
    @Override
    public List<Integer> ports(int place) {
        return IntStream.range(0, SIZE)
                .map(i -> place == FIRST && i >= REACHED_BY_FIRST
                        ? i
                        : quorum.servers().get(i).port())
                .boxed()
                .toList();
    }

    @Override
    public List<String> properties(int place) {
        return List.of(
                "distributed-lock.backend=redlock",
                "distributed-lock.redlock.nodes="
                        + ports(place).stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(",")),
                "distributed-lock.redlock.node-timeout=400ms",
                "distributed-lock.lease=2s",
                "distributed-lock.max-lease=2s");
    }

    @Override
    public String forget() {
        RedisServer server = quorum.servers().get(FAILING);
        if (fault == Fault.RESTARTS_EMPTY) {
            server.restart();
            return "Server 3 of 5 is killed and started again, empty";
        }
        server.setClock(JUMP);
        return "The clock of server 3 of 5 jumps forward by " + JUMP.toSeconds() + " s";
    }

    @Override
    public void close() {
        quorum.close();
    }
}
