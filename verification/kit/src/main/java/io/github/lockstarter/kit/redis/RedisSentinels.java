package io.github.lockstarter.kit.redis;

import io.github.lockstarter.kit.process.Polling;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A master with two replicas, and three sentinels that promote a replica about two seconds after the master stops
 * answering.
 */
public final class RedisSentinels implements RedisServerGroup {

    public static final String MASTER = "locks";

    /** Lettuce supports it only on a separate connection type. */
    private static final ProtocolKeyword SENTINEL = () -> "SENTINEL".getBytes(StandardCharsets.US_ASCII);

    private static final int SENTINELS = 3;
    private static final int QUORUM = 2;
    private static final String SILENT_AFTER_MILLIS = "1000";

    private final RedisReplication replication;
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisSentinels(RedisReplication replication) {
        this.replication = replication;
    }

    /** Starts the servers and waits until the sentinels have found each other and the replicas; close them. */
    public static RedisSentinels start() {
        RedisSentinels topology = new RedisSentinels(RedisReplication.start(2));
        try {
            for (int i = 0; i < SENTINELS; i++) {
                topology.sentinels.add(topology.startSentinel(i));
            }
            topology.awaitAgreement();
            return topology;
        } catch (RuntimeException e) {
            topology.close();
            throw e;
        }
    }

    @Override
    public List<RedisServer> servers() {
        return replication.servers();
    }

    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** The master according to the sentinels, even if it is dead. */
    public RedisServer master() {
        String port = state(sentinels.get(0)).get("port");
        return servers().stream()
                .filter(server -> Integer.toString(server.port()).equals(port))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Sentinel names an unknown port " + port));
    }

    /**
     * Number of promotions; more than one per failover means that the sentinels deposed a live master, as they may on
     * a busy machine.
     */
    public long promotions() {
        return sentinels.stream()
                .mapToLong(sentinel -> Long.parseLong(state(sentinel).getOrDefault("config-epoch", "0")))
                .max()
                .orElseThrow();
    }

    /** Promotes a replica and waits until all sentinels agree. */
    public void failOver() {
        RedisServer before = master();
        requestFailOver();
        awaitPromotion(before);
    }

    /** Requests a failover without waiting. */
    public void requestFailOver() {
        sentinels.get(0).commands().dispatch(SENTINEL, new StatusOutput<>(StringCodec.UTF8), about("FAILOVER"));
    }

    /**
     * Whether all servers run and the sentinels agree on them; false during a failover. Corrects servers that do not
     * follow the sentinels.
     */
    public boolean isHealthy() {
        return servers().stream().allMatch(RedisServer::answers)
                && sentinels.stream().allMatch(RedisServer::answers)
                && agree();
    }

    /** Waits until all sentinels have replaced this master. */
    public void awaitPromotion(RedisServer before) {
        if (!isReplacedInTime(before)) {
            throw new IllegalStateException("No replica was promoted:\n"
                    + sentinels.stream().map(RedisServer::log).toList());
        }
    }

    /** As {@link #awaitPromotion}, but returns false if they do not, for example because the master answers again. */
    public boolean isReplacedInTime(RedisServer before) {
        String old = Integer.toString(before.port());
        return Polling.until(
                () -> sentinels.stream().noneMatch(one -> old.equals(state(one).get("port"))));
    }

    /** Connects to the master through the sentinels, as the default user. */
    public RedisURI uri() {
        RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(MASTER);
        sentinels.forEach(sentinel -> uri.withSentinel(sentinel.host(), sentinel.port()));
        return uri.build();
    }

    /** Addresses of the sentinels for {@code spring.data.redis.sentinel.nodes}. */
    public String nodes() {
        return RedisServerGroup.addressesOf(sentinels());
    }

    @Override
    public void reset() {
        sentinels.forEach(sentinel -> {
            sentinel.revive();
            if (!RedisServer.isBefore(6, 2)) {
                sentinel.removeRestrictions();
            }
        });
        replication.revive();
        awaitAgreement();
        replication.empty();
    }

    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        replication.close();
    }

    private RedisServer startSentinel(int number) {
        Stream<String> options = Stream.of(
                "myid " + Integer.toString(number + 1).repeat(40),
                "monitor " + MASTER + " 127.0.0.1 " + replication.master().port() + " " + QUORUM,
                "auth-user " + MASTER + " fixture",
                "auth-pass " + MASTER + " any",
                "down-after-milliseconds " + MASTER + " " + SILENT_AFTER_MILLIS,
                "failover-timeout " + MASTER + " 3000");
        return RedisServer.startSentinel(options.flatMap(option -> Stream.of(("--sentinel " + option).split(" ")))
                .toArray(String[]::new));
    }

    private void awaitAgreement() {
        if (!Polling.until(this::agree)) {
            throw new IllegalStateException("The sentinels do not agree: "
                    + sentinels.stream().map(RedisSentinels::state).toList() + "\nServers: "
                    + servers().stream()
                            .map(server -> server.info("replication"))
                            .toList());
        }
    }

    /**
     * Whether all sentinels name one master and the servers follow it. Corrects the servers: sentinels would take ten
     * seconds.
     */
    private boolean agree() {
        try {
            RedisServer master = master();
            if (!sentinels.stream().allMatch(sentinel -> knowsAll(sentinel, master))) {
                return false;
            }
            replication.follow(master);
            return replication.isInSync();
        } catch (RedisException e) {
            // A role change by a sentinel closes all connections of a server.
            return false;
        }
    }

    private boolean knowsAll(RedisServer sentinel, RedisServer master) {
        Map<String, String> state = state(sentinel);
        return "master".equals(state.get("flags"))
                && Integer.toString(master.port()).equals(state.get("port"))
                && Integer.toString(SENTINELS - 1).equals(state.get("num-other-sentinels"))
                && Integer.toString(servers().size() - 1).equals(state.get("num-slaves"));
    }

    private static CommandArgs<String, String> about(String command) {
        return new CommandArgs<>(StringCodec.UTF8).add(command).add(MASTER);
    }

    private static Map<String, String> state(RedisServer sentinel) {
        List<Object> answer =
                sentinel.commands().dispatch(SENTINEL, new ArrayOutput<>(StringCodec.UTF8), about("MASTER"));
        Map<String, String> state = new HashMap<>();
        for (int i = 0; i + 1 < answer.size(); i += 2) {
            state.put(String.valueOf(answer.get(i)), String.valueOf(answer.get(i + 1)));
        }
        return state;
    }
}
