package io.github.lockstarter.benchmarks.client;

import static java.time.Duration.ZERO;

import io.github.lockstarter.benchmarks.server.Addresses;
import io.github.lockstarter.benchmarks.server.ServerKind;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The clients that can be measured. To add one, implement {@link LockClient} and name it here. */
public enum ClientKind {

    /** What no Redis lock can beat: one command to acquire, one script to release. */
    FLOOR("floor", "Lettuce SET NX PX", Role.FLOOR, FloorClient.LONGEST_PAUSE),

    /** This starter. */
    STARTER("lock-starter", "lock-starter", Role.SUBJECT, ZERO),

    /** The same, as it is called beside the other stores of this starter. */
    STARTER_REDIS("lock-starter-redis", "lock-starter, Redis", Role.SUBJECT, ZERO),

    /** The same, whose releases wait for no answer. */
    STARTER_SENDING("lock-starter-sending", "lock-starter, release sent", Role.APART, ZERO),

    /** The same, for one of five permits. */
    STARTER_PERMITS("lock-starter-permits", "lock-starter, 5 permits", Role.APART, ZERO),

    /** This starter on PostgreSQL. */
    STARTER_POSTGRESQL("lock-starter-postgresql", "lock-starter, PostgreSQL", Role.SUBJECT, ZERO),

    /** Spring Integration's registry on PostgreSQL. */
    SPRING_INTEGRATION_JDBC(
            "spring-integration-jdbc",
            "Spring Integration, PostgreSQL",
            Role.PEER,
            SpringIntegrationJdbcClient.RETRY_INTERVAL),

    /** This starter on ZooKeeper. */
    STARTER_ZOOKEEPER("lock-starter-zookeeper", "lock-starter, ZooKeeper", Role.SUBJECT, ZERO),

    /** Curator's recipe on ZooKeeper. */
    CURATOR("curator", "Curator InterProcessMutex", Role.PEER, ZERO),

    /** This starter on etcd. */
    STARTER_ETCD("lock-starter-etcd", "lock-starter, etcd", Role.SUBJECT, ZERO),

    /** An earlier version of this starter, from the folder that {@value EarlierStarter#FOLDER} names. */
    EARLIER_STARTER("lock-starter-earlier", "lock-starter, earlier", Role.EARLIER, ZERO),

    /** Redisson's {@code RLock} with its watchdog. */
    REDISSON("redisson", "Redisson", Role.PEER, ZERO),

    /** Spring Integration's registry with publish/subscribe. */
    SPRING_INTEGRATION("spring-integration", "Spring Integration", Role.PEER, ZERO),

    /** The same registry as it is unless configured otherwise, but for renewal: a waiter asks every 100 ms. */
    SPRING_INTEGRATION_RENEWING(
            "spring-integration-renewing", "Spring Integration, renewing", Role.PEER, Duration.ofMillis(100)),

    /** Lock4j on a {@code RedisTemplate}. */
    LOCK4J("lock4j", "lock4j", Role.PEER, Lock4jClient.RETRY_INTERVAL),

    /** A lock of the JDK: no Redis, no other JVM. */
    REENTRANT_LOCK("reentrant-lock", "ReentrantLock (local)", Role.REFERENCE, ZERO),

    /** The same in the order of arrival. */
    FAIR_REENTRANT_LOCK("fair-reentrant-lock", "fair ReentrantLock (local)", Role.REFERENCE, ZERO);

    /** What a client is compared as. */
    public enum Role {
        /** The raw commands. */
        FLOOR,
        /** What is developed here. */
        SUBJECT,
        /** What it is measured against when it changes. */
        EARLIER,
        /** This starter on other terms than its peers: shown apart, and compared with no other client. */
        APART,
        /** What people use. */
        PEER,
        /** What is possible without a network. */
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

    /**
     * All that lock in Redis as their users set them up.
     *
     * @return floor, subject and peers, and the earlier version if there is one
     */
    public static List<ClientKind> distributed() {
        return present(List.of(FLOOR, STARTER, EARLIER_STARTER, REDISSON, SPRING_INTEGRATION, LOCK4J));
    }

    /**
     * This starter on terms that {@link #distributed} clients do not have.
     *
     * @return those that reports show apart
     */
    public static List<ClientKind> apart() {
        return Arrays.stream(values()).filter(kind -> kind.role == Role.APART).toList();
    }

    /**
     * Those of {@link #distributed} of which one thread can hold thousands of locks: Spring Integration's threads wait
     * for each other, since it shares one local lock among the names of a stripe.
     *
     * @return floor, subject and peers, and the earlier version if there is one
     */
    public static List<ClientKind> holdingMany() {
        return distributed().stream().filter(kind -> kind != SPRING_INTEGRATION).toList();
    }

    private static List<ClientKind> present(List<ClientKind> kinds) {
        return kinds.stream()
                .filter(kind -> kind != EARLIER_STARTER || EarlierStarter.isPresent())
                .toList();
    }

    /**
     * All that renew many locks that they hold; README.md tells why the others do not.
     *
     * @return subject and peers
     */
    public static List<ClientKind> renewing() {
        return present(List.of(STARTER, EARLIER_STARTER, REDISSON));
    }

    /**
     * All that renew a lock as long as their process lives.
     *
     * @return subject and peers
     */
    public static List<ClientKind> holdingUntilTheEnd() {
        return List.of(STARTER, REDISSON, SPRING_INTEGRATION_RENEWING);
    }

    /**
     * This starter on each of its stores, and others on the same servers.
     *
     * @return subject and peers
     */
    public static List<ClientKind> ofStores() {
        return List.of(
                STARTER_REDIS, STARTER_POSTGRESQL, SPRING_INTEGRATION_JDBC, STARTER_ZOOKEEPER, CURATOR, STARTER_ETCD);
    }

    /**
     * Those of {@link #ofStores} of which one thread can hold thousands of locks.
     *
     * @return subject and peers
     */
    public static List<ClientKind> ofStoresHoldingMany() {
        return withoutSpringIntegration();
    }

    /**
     * Those of {@link #ofStores} that keep a lock as long as their process lives.
     *
     * @return subject and peers
     */
    public static List<ClientKind> ofStoresHoldingUntilTheEnd() {
        return withoutSpringIntegration();
    }

    /** It neither renews nor holds many: README.md tells why. */
    private static List<ClientKind> withoutSpringIntegration() {
        return ofStores().stream()
                .filter(kind -> kind != SPRING_INTEGRATION_JDBC)
                .toList();
    }

    /**
     * Finds a client by its id.
     *
     * @param id as on the command line
     * @return the client
     * @throws IllegalArgumentException when there is none
     */
    public static ClientKind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No client '" + id + "'; there are "
                        + Arrays.stream(values()).map(ClientKind::id).toList()));
    }

    /**
     * Opens an instance and connects it.
     *
     * @param addresses where its server is
     * @return the client; close it
     */
    public LockClient open(Addresses addresses) {
        return open(addresses, LEASE);
    }

    /**
     * Opens an instance whose locks end so long after their last renewal, and connects it.
     *
     * @param addresses where its server is
     * @param lease of a client of a server; that of an earlier version is always 30 s
     * @return the client; close it
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

    /**
     * The server that keeps its locks.
     *
     * @return empty for locks of the JDK
     */
    public Optional<ServerKind> server() {
        return switch (this) {
            case STARTER_POSTGRESQL, SPRING_INTEGRATION_JDBC -> Optional.of(ServerKind.POSTGRESQL);
            case STARTER_ZOOKEEPER, CURATOR -> Optional.of(ServerKind.ZOOKEEPER);
            case STARTER_ETCD -> Optional.of(ServerKind.ETCD);
            case REENTRANT_LOCK, FAIR_REENTRANT_LOCK -> Optional.empty();
            default -> Optional.of(ServerKind.REDIS);
        };
    }

    /**
     * Its name on the command line and in raw results.
     *
     * @return lower case with hyphens
     */
    public String id() {
        return id;
    }

    /**
     * Its name in tables.
     *
     * @return for readers
     */
    public String label() {
        return label;
    }

    /**
     * What it is compared as.
     *
     * @return its role
     */
    public Role role() {
        return role;
    }

    /**
     * How long a waiter pauses between two looks at the lock.
     *
     * @return zero for clients that are notified
     */
    public Duration retryInterval() {
        return retryInterval;
    }
}
