package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.benchmarks.server.Addresses;
import io.github.lockstarter.benchmarks.server.ServerKind;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** The clients to compare. To add one, implement {@link LockClient} and list it here. */
public enum ClientKind {

    /** The minimum of a Redis lock: one command to acquire, one script to release. */
    FLOOR("floor", "Lettuce SET NX PX", Role.FLOOR),

    STARTER("lock-starter", "lock-starter", Role.SUBJECT),

    /** The starter among its other stores. */
    STARTER_REDIS("lock-starter-redis", "lock-starter, Redis", Role.SUBJECT),

    STARTER_POSTGRESQL("lock-starter-postgresql", "lock-starter, PostgreSQL", Role.SUBJECT),

    SPRING_INTEGRATION_JDBC("spring-integration-jdbc", "Spring Integration, PostgreSQL", Role.PEER),

    STARTER_ZOOKEEPER("lock-starter-zookeeper", "lock-starter, ZooKeeper", Role.SUBJECT),

    CURATOR("curator", "Curator InterProcessMutex", Role.PEER),

    STARTER_ETCD("lock-starter-etcd", "lock-starter, etcd", Role.SUBJECT),

    /** An earlier version of the starter, from the folder in {@value EarlierStarter#FOLDER}. */
    EARLIER_STARTER("lock-starter-earlier", "lock-starter, earlier", Role.EARLIER),

    /** With its watchdog. */
    REDISSON("redisson", "Redisson", Role.PEER),

    /** With publish/subscribe. */
    SPRING_INTEGRATION("spring-integration", "Spring Integration", Role.PEER),

    /** With renewal, otherwise the default: waiters poll every 100 ms. */
    SPRING_INTEGRATION_RENEWING("spring-integration-renewing", "Spring Integration, renewing", Role.PEER),

    /** On a {@code RedisTemplate}. */
    LOCK4J("lock4j", "lock4j", Role.PEER);

    /** How a client is compared. */
    public enum Role {
        /** Raw commands. */
        FLOOR,
        /** The starter. */
        SUBJECT,
        /** The version before a change of the starter. */
        EARLIER,
        /** Other libraries. */
        PEER,
        /** Without a network. */
        REFERENCE
    }

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final String id;
    private final String label;
    private final Role role;

    ClientKind(String id, String label, Role role) {
        this.id = id;
        this.label = label;
        this.role = role;
    }

    /** Clients that lock in Redis as users configure them. */
    public static List<ClientKind> distributed() {
        return present(List.of(FLOOR, STARTER, EARLIER_STARTER, REDISSON, SPRING_INTEGRATION, LOCK4J));
    }

    private static List<ClientKind> present(List<ClientKind> kinds) {
        return kinds.stream()
                .filter(kind -> kind != EARLIER_STARTER || EarlierStarter.isPresent())
                .toList();
    }

    /** Clients that renew many held locks; README.md explains why others do not. */
    public static List<ClientKind> renewing() {
        return present(List.of(STARTER, EARLIER_STARTER, REDISSON));
    }

    /** Clients with locks that are read by several owners. */
    public static List<ClientKind> withReaders() {
        return List.of(STARTER, REDISSON);
    }

    /** Clients that renew a lock until their process ends. */
    public static List<ClientKind> holdingUntilTheEnd() {
        return List.of(STARTER, REDISSON, SPRING_INTEGRATION_RENEWING);
    }

    /** The starter on each of its stores, and other clients on the same servers. */
    public static List<ClientKind> ofStores() {
        return List.of(
                STARTER_REDIS, STARTER_POSTGRESQL, SPRING_INTEGRATION_JDBC, STARTER_ZOOKEEPER, CURATOR, STARTER_ETCD);
    }

    /**
     * Clients of {@link #ofStores} that keep a lock until their process ends, and in which a thread can hold thousands;
     * README.md explains why the other does neither.
     */
    public static List<ClientKind> ofStoresThatRenew() {
        return ofStores().stream()
                .filter(kind -> kind != SPRING_INTEGRATION_JDBC)
                .toList();
    }

    /**
     * Finds a client by its id.
     *
     * @throws IllegalArgumentException if it does not exist
     */
    public static ClientKind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No client '" + id + "'; there are "
                        + Arrays.stream(values()).map(ClientKind::id).toList()));
    }

    /** Opens and connects an instance; close it. */
    public LockClient open(Addresses addresses) {
        return open(addresses, LEASE);
    }

    /**
     * Opens and connects an instance; close it.
     *
     * @param lease ignored by the earlier version (30 s)
     */
    public LockClient open(Addresses addresses, Duration lease) {
        return switch (this) {
            case FLOOR -> new FloorClient(addresses.redis(), lease);
            case STARTER, STARTER_REDIS -> StarterClient.onRedis(addresses.redis(), lease);
            case EARLIER_STARTER -> EarlierStarter.open(addresses.redis());
            case REDISSON -> new RedissonLockClient(addresses.redis(), lease);
            case SPRING_INTEGRATION -> SpringIntegrationClient.notified(addresses.redis(), lease);
            case SPRING_INTEGRATION_RENEWING -> SpringIntegrationClient.renewing(addresses.redis(), lease);
            case LOCK4J -> new Lock4jClient(addresses.redis(), lease);
            case STARTER_POSTGRESQL -> StarterClient.onPostgres(addresses.of(ServerKind.POSTGRESQL), lease);
            case STARTER_ZOOKEEPER -> StarterClient.onZooKeeper(addresses.of(ServerKind.ZOOKEEPER), lease);
            case STARTER_ETCD -> StarterClient.onEtcd(addresses.of(ServerKind.ETCD), lease);
            case SPRING_INTEGRATION_JDBC -> new SpringIntegrationJdbcClient(addresses.of(ServerKind.POSTGRESQL), lease);
            case CURATOR -> new CuratorClient(addresses.of(ServerKind.ZOOKEEPER), lease);
        };
    }

    /** The server of its locks. */
    public ServerKind server() {
        return switch (this) {
            case STARTER_POSTGRESQL, SPRING_INTEGRATION_JDBC -> ServerKind.POSTGRESQL;
            case STARTER_ZOOKEEPER, CURATOR -> ServerKind.ZOOKEEPER;
            case STARTER_ETCD -> ServerKind.ETCD;
            default -> ServerKind.REDIS;
        };
    }

    /** Its name on the command line and in raw results. */
    public String id() {
        return id;
    }

    /** Its name in tables. */
    public String label() {
        return label;
    }

    public Role role() {
        return role;
    }
}
