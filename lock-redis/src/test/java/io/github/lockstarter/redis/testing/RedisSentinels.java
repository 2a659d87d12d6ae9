package io.github.lockstarter.redis.testing;

import io.github.lockstarter.testing.Patience;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A master with two replicas, and three sentinels that promote one about two seconds after the master fell silent. */
public final class RedisSentinels implements RedisTopology {

    /** What the sentinels call the master. */
    public static final String MASTER = "locks";

    private static final int SENTINELS = 3;
    private static final int QUORUM = 2;
    private static final String SILENT_AFTER_MILLIS = "1000";

    private final RedisReplication replication;
    private final List<EmbeddedRedisServer> sentinels = new ArrayList<>();

    private RedisSentinels(RedisReplication replication) {
        this.replication = replication;
    }

    /**
     * Starts them, and waits until the sentinels know each other and the replicas.
     *
     * @return the running servers; close them
     */
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

    /**
     * The sentinels.
     *
     * @return three servers that keep no data
     */
    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /**
     * The server that the sentinels name.
     *
     * @return the master, even if it is dead
     */
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
     *
     * @return the highest number of a configuration
     */
    public long promotions() {
        return sentinels.stream()
                .mapToLong(sentinel -> Long.parseLong(state(sentinel).get("config-epoch")))
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
        sentinels
                .get(0)
                .commands()
                .dispatch(RawCommands.SENTINEL, RawCommands.status(), RawCommands.arguments("FAILOVER", MASTER));
    }

    /**
     * Whether all servers run, and the sentinels agree on them. Servers that do not do as all sentinels say are told
     * to.
     *
     * @return false while a failover is under way, too
     */
    public boolean isHealthy() {
        return servers().stream().allMatch(RedisServer::answers)
                && sentinels.stream().allMatch(RedisServer::answers)
                && agree();
    }

    /**
     * Waits until all sentinels name another master.
     *
     * @param before the master that it must not be
     */
    public void awaitPromotion(RedisServer before) {
        if (!isReplacedInTime(before)) {
            throw new IllegalStateException("No replica was promoted:\n"
                    + sentinels.stream().map(RedisServer::log).toList());
        }
    }

    /**
     * Waits until all sentinels name another master, or have had time enough for it.
     *
     * @param before the master that it must not be
     * @return false if they did not, as when they gave the failover up because the master answered again
     */
    public boolean isReplacedInTime(RedisServer before) {
        String old = Integer.toString(before.port());
        return Patience.until(
                () -> sentinels.stream().noneMatch(one -> old.equals(state(one).get("port"))));
    }

    /**
     * Where the sentinels are, for a client that asks them for the master.
     *
     * @return a URI with the default user and no password
     */
    public RedisURI uri() {
        RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(MASTER);
        sentinels.forEach(sentinel -> uri.withSentinel(sentinel.host(), sentinel.port()));
        return uri.build();
    }

    /**
     * Where the sentinels are.
     *
     * @return as {@code spring.data.redis.sentinel.nodes} takes it
     */
    public String nodes() {
        return sentinels.stream()
                .map(sentinel -> sentinel.host() + ":" + sentinel.port())
                .collect(Collectors.joining(","));
    }

    /**
     * Whether sentinels of this version have users.
     *
     * @return false before 6.2
     */
    public static boolean haveUsers() {
        return !RedisBinary.isBefore(6, 2);
    }

    @Override
    public void reset() {
        sentinels.forEach(sentinel -> {
            sentinel.resume();
            if (!sentinel.answers()) {
                sentinel.restart();
            }
            if (haveUsers()) {
                RawCommands.aclSetUser(sentinel.commands(), "default", "reset", "on", "nopass", "~*", "&*", "+@all");
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

    private EmbeddedRedisServer startSentinel(int number) {
        String masterPort = Integer.toString(replication.master().port());
        return EmbeddedRedisServer.startSentinel(
                "--sentinel",
                "myid",
                Integer.toString(number + 1).repeat(40),
                "--sentinel",
                "monitor",
                MASTER,
                "127.0.0.1",
                masterPort,
                Integer.toString(QUORUM),
                "--sentinel",
                "auth-user",
                MASTER,
                "fixture",
                "--sentinel",
                "auth-pass",
                MASTER,
                "any",
                "--sentinel",
                "down-after-milliseconds",
                MASTER,
                SILENT_AFTER_MILLIS,
                "--sentinel",
                "failover-timeout",
                MASTER,
                "3000");
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

    private static Map<String, String> state(RedisServer sentinel) {
        List<Object> answer = sentinel.commands()
                .dispatch(RawCommands.SENTINEL, RawCommands.list(), RawCommands.arguments("MASTER", MASTER));
        Map<String, String> state = new HashMap<>();
        for (int i = 0; i + 1 < answer.size(); i += 2) {
            state.put(String.valueOf(answer.get(i)), String.valueOf(answer.get(i + 1)));
        }
        return state;
    }
}
