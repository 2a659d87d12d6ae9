package io.github.lockstarter.benchmarks.client;

import static java.time.Duration.ZERO;

import io.github.lockstarter.benchmarks.server.Addresses;
import io.github.lockstarter.benchmarks.server.ServerKind;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The clients to compare. To add one, implement {@link LockClient} and list it here. */
public enum ClientKind {

    /** The minimum of a Redis lock: one command to acquire, one script to release. */
    FLOOR("floor", "Lettuce SET NX PX", Role.FLOOR, FloorClient.LONGEST_PAUSE),

    STARTER("lock-starter", "lock-starter", Role.SUBJECT, ZERO),

    /** The starter among its other stores. */
    STARTER_REDIS("lock-starter-redis", "lock-starter, Redis", Role.SUBJECT, ZERO),

    /** The starter with releases that do not wait for a reply. */
    STARTER_SENDING("lock-starter-sending", "lock-starter, release sent", Role.APART, ZERO),

    /** The starter with one of five permits. */
    STARTER_PERMITS("lock-starter-permits", "lock-starter, 5 permits", Role.APART, ZERO),

    STARTER_POSTGRESQL("lock-starter-postgresql", "lock-starter, PostgreSQL", Role.SUBJECT, ZERO),

    SPRING_INTEGRATION_JDBC(
            "spring-integration-jdbc",
            "Spring Integration, PostgreSQL",
            Role.PEER,
            SpringIntegrationJdbcClient.RETRY_INTERVAL),

    STARTER_ZOOKEEPER("lock-starter-zookeeper", "lock-starter, ZooKeeper", Role.SUBJECT, ZERO),

    CURATOR("curator", "Curator InterProcessMutex", Role.PEER, ZERO),

    STARTER_ETCD("lock-starter-etcd", "lock-starter, etcd", Role.SUBJECT, ZERO),

    /** An earlier version of the starter, from the folder in {@value EarlierStarter#FOLDER}. */
    EARLIER_STARTER("lock-starter-earlier", "lock-starter, earlier", Role.EARLIER, ZERO),

    /** With its watchdog. */
    REDISSON("redisson", "Redisson", Role.PEER, ZERO),

    /** With publish/subscribe. */
    SPRING_INTEGRATION("spring-integration", "Spring Integration", Role.PEER, ZERO),

    /** With renewal, otherwise the default: waiters poll every 100 ms. */
    SPRING_INTEGRATION_RENEWING(
            "spring-integration-renewing", "Spring Integration, renewing", Role.PEER, Duration.ofMillis(100)),

    /** On a {@code RedisTemplate}. */
    LOCK4J("lock4j", "lock4j", Role.PEER, Lock4jClient.RETRY_INTERVAL),

    /** A lock within this JVM. */
    REENTRANT_LOCK("reentrant-lock", "ReentrantLock (local)", Role.REFERENCE, ZERO),

    /** The same with first-come, first-served order. */
    FAIR_REENTRANT_LOCK("fair-reentrant-lock", "fair ReentrantLock (local)", Role.REFERENCE, ZERO);

    /** How a client is compared. */
    public enum Role {
        /** Raw commands. */
        FLOOR,
        /** The starter. */
        SUBJECT,
        /** The version before a change of the starter. */
        EARLIER,
        /** The starter on terms that others lack: in a separate table, and not compared. */
        APART,
        /** Other libraries. */
        PEER,
        /** The limit without a network. */
        REFERENCE
    }

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final String id;
    private final String label;
    private final Role role;
    private final Duration retryInterval;

    ClientKind(String id, String label, Role role, Duration retryInterval) {
        this.id = id;
        this.label = label;
        this.role = role;
        this.retryInterval = retryInterval;
    }

    /** Clients that lock in Redis as users configure them. */
    public static List<ClientKind> distributed() {
        return present(List.of(FLOOR, STARTER, EARLIER_STARTER, REDISSON, SPRING_INTEGRATION, LOCK4J));
    }

    public static List<ClientKind> apart() {
        return Arrays.stream(values()).filter(kind -> kind.role == Role.APART).toList();
    }

    /**
     * Clients of {@link #distributed} in which a thread can hold thousands of locks. Spring Integration shares one
     * local lock among the names of a stripe, so its threads would wait for each other.
     */
    public static List<ClientKind> holdingMany() {
        return distributed().stream().filter(kind -> kind != SPRING_INTEGRATION).toList();
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

    /** Clients that renew a lock until their process ends. */
    public static List<ClientKind> holdingUntilTheEnd() {
        return List.of(STARTER, REDISSON, SPRING_INTEGRATION_RENEWING);
    }

    /** The starter on each of its stores, and other clients on the same servers. */
    public static List<ClientKind> ofStores() {
        return List.of(
                STARTER_REDIS, STARTER_POSTGRESQL, SPRING_INTEGRATION_JDBC, STARTER_ZOOKEEPER, CURATOR, STARTER_ETCD);
    }

    /** Clients of {@link #ofStores} in which a thread can hold thousands of locks. */
    public static List<ClientKind> ofStoresHoldingMany() {
        return withoutSpringIntegration();
    }

    /** Clients of {@link #ofStores} that keep a lock until their process ends. */
    public static List<ClientKind> ofStoresHoldingUntilTheEnd() {
        return withoutSpringIntegration();
    }

    /** It does neither; see README.md. */
    private static List<ClientKind> withoutSpringIntegration() {
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
     * @param lease ignored by the earlier version (30 s) and locks of the JDK
     */
    public LockClient open(Addresses addresses, Duration lease) {
        return switch (this) {
            case FLOOR -> new FloorClient(addresses.redis(), lease);
            case STARTER, STARTER_REDIS -> StarterClient.onRedis(addresses.redis(), lease);
            case STARTER_SENDING -> StarterClient.sendingReleases(addresses.redis(), lease);
            case STARTER_PERMITS -> StarterClient.withPermits(addresses.redis(), lease);
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
            case REENTRANT_LOCK -> LocalLockClient.withoutOrder();
            case FAIR_REENTRANT_LOCK -> LocalLockClient.inOrderOfArrival();
        };
    }

    /** The server of its locks; empty for locks of the JDK. */
    public Optional<ServerKind> server() {
        return switch (this) {
            case STARTER_POSTGRESQL, SPRING_INTEGRATION_JDBC -> Optional.of(ServerKind.POSTGRESQL);
            case STARTER_ZOOKEEPER, CURATOR -> Optional.of(ServerKind.ZOOKEEPER);
            case STARTER_ETCD -> Optional.of(ServerKind.ETCD);
            case REENTRANT_LOCK, FAIR_REENTRANT_LOCK -> Optional.empty();
            default -> Optional.of(ServerKind.REDIS);
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

    /** How long a waiter pauses between attempts; zero for clients that receive notifications. */
    public Duration retryInterval() {
        return retryInterval;
    }
}
