package io.github.lockstarter.kit.redis;

import io.github.lockstarter.kit.process.Patience;
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

/** A master with two replicas, and three sentinels that promote one about two seconds after the master hangs. */
public final class RedisSentinels implements RedisTopology {

    /** Name of the master. */
    public static final String MASTER = "locks";

    /** Lettuce has a connection of its own type for it. */
    private static final ProtocolKeyword SENTINEL = () -> "SENTINEL".getBytes(StandardCharsets.US_ASCII);

    private static final int SENTINELS = 3;
    private static final int QUORUM = 2;
    private static final String SILENT_AFTER_MILLIS = "1000";

    private final RedisReplication replication;
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisSentinels(RedisReplication replication) {
        this.replication = replication;
    }

    /** Starts the servers, and waits until the sentinels know each other and the replicas; close them. */
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

    /** The three sentinels, which keep no data. */
    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** The server that the sentinels name as the master, even if it is dead. */
    public RedisServer master() {
        String port = state(sentinels.get(0)).get("port");
        return servers().stream()
                .filter(server -> Integer.toString(server.port()).equals(port))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Sentinel names an unknown port " + port));
    }

    /**
     * How many promotions the sentinels know of; more than one for a failover means that they deposed a living master,
     * as they do on a busy machine.
     */
    public long promotions() {
        return sentinels.stream()
                .mapToLong(sentinel -> Long.parseLong(state(sentinel).getOrDefault("config-epoch", "0")))
                .max()
                .orElseThrow();
    }

    /** Makes the sentinels promote a replica; waits until all of them have. */
    public void failOver() {
        RedisServer before = master();
        askForFailOver();
        awaitPromotion(before);
    }

    /** Makes the sentinels promote a replica; waits for nothing. */
    public void askForFailOver() {
        sentinels.get(0).commands().dispatch(SENTINEL, new StatusOutput<>(StringCodec.UTF8), about("FAILOVER"));
    }

    /**
     * Whether all servers run, and the sentinels agree on them; false during a failover. Corrects servers that do not
     * follow the sentinels.
     */
    public boolean isHealthy() {
        return servers().stream().allMatch(RedisServer::answers)
                && sentinels.stream().allMatch(RedisServer::answers)
                && agree();
    }

    /** Waits until all sentinels name another master than this one. */
    public void awaitPromotion(RedisServer before) {
        if (!isReplacedInTime(before)) {
            throw new IllegalStateException("No replica was promoted:\n"
                    + sentinels.stream().map(RedisServer::log).toList());
        }
    }

    /**
     * Waits until all sentinels name another master than this one; false if they do not, as when they give the failover
     * up because the master answers again.
     */
    public boolean isReplacedInTime(RedisServer before) {
        String old = Integer.toString(before.port());
        return Patience.until(
                () -> sentinels.stream().noneMatch(one -> old.equals(state(one).get("port"))));
    }

    /** For a client that asks the sentinels for the master, as the default user without a password. */
    public RedisURI uri() {
        RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(MASTER);
        sentinels.forEach(sentinel -> uri.withSentinel(sentinel.host(), sentinel.port()));
        return uri.build();
    }

    /** Addresses of the sentinels, as {@code spring.data.redis.sentinel.nodes} takes them. */
    public String nodes() {
        return RedisTopology.addressesOf(sentinels());
    }

    @Override
    public void reset() {
        sentinels.forEach(sentinel -> {
            sentinel.revive();
            if (!RedisServer.isBefore(6, 2)) {
                sentinel.openToEverybody();
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
        if (!Patience.until(this::agree)) {
            throw new IllegalStateException("The sentinels do not agree: "
                    + sentinels.stream().map(RedisSentinels::state).toList() + "\nServers: "
                    + servers().stream()
                            .map(server -> server.info("replication"))
                            .toList());
        }
    }

    /** All name one master, and the servers do as they say. The sentinels would see to it too, and take ten seconds. */
    private boolean agree() {
        try {
            RedisServer master = master();
            if (!sentinels.stream().allMatch(sentinel -> knowsAll(sentinel, master))) {
                return false;
            }
            replication.follow(master);
            return replication.isInSync();
        } catch (RedisException e) {
            // A sentinel that changes a server's role ends its connections.
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
