package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.process.Closer;
import io.github.lockstarter.kit.process.Polling;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Servers, instances and the reverse proxy of an experiment, each in its own process.
 *
 * <p>One thread starts it once and sets the mutable fields {@code servers}, {@code instances} and {@code proxy}. Any
 * thread may close it, even during the start, which then fails.
 */
public final class Deployment implements AutoCloseable {

    private static final int BACKGROUND_THREADS = 16;

    private final DeploymentPlan plan;
    private final DeploymentListener listener;
    private final Closer closer = new Closer();
    private final ScheduledExecutorService background =
            Executors.newScheduledThreadPool(BACKGROUND_THREADS, new DefaultThreadFactory("deployment", true));
    private final ReentrantLock interference = new ReentrantLock();
    private volatile @Nullable Servers servers;
    private volatile List<InstanceProcess> instances = List.of();
    private volatile @Nullable ReverseProxy proxy;

    /** @param listener receives progress and events */
    public Deployment(DeploymentPlan plan, DeploymentListener listener) {
        this.plan = plan;
        this.listener = listener;
        closer.add(background::shutdownNow);
    }

    private record Servers(RedisServer store, LockServers locks, LockServers quorum) {}

    /**
     * Starts everything and waits until each instance answers.
     *
     * @throws RuntimeException if the start fails; {@link #close} ends the processes already started
     */
    public void start() {
        Servers started = startServers();
        servers = started;
        List<InstanceProcess> prepared = prepareInstances(started);
        instances = prepared;
        listener.progressed("Starting " + prepared.size() + " instances of the application");
        prepared.forEach(InstanceProcess::start);
        for (InstanceProcess instance : prepared) {
            instance.awaitReady();
            listener.progressed(
                    "Instance " + instance.name() + " (pid " + instance.pid() + ") listens on port " + instance.port());
        }
        ReverseProxy balancer = closer.add(
                new ReverseProxy(prepared.stream().map(InstanceProcess::port).toList()));
        proxy = balancer;
        listener.progressed("Reverse proxy at " + balancer.uri());
    }

    public DeploymentPlan plan() {
        return plan;
    }

    /** The instances started so far, by name. */
    public List<InstanceProcess> instances() {
        return instances;
    }

    /** URL that counts a view through the reverse proxy. */
    public URI uri(Variant variant, String page) {
        return started(proxy).uri().resolve(variant.path() + "?page=" + page);
    }

    /**
     * Stored views of a page.
     *
     * @throws io.lettuce.core.RedisException if the store does not answer
     */
    public long views(Variant variant, String page) {
        String views = started(servers).store().commands().hget(variant.storeKey(page), "views");
        return views == null ? 0 : Long.parseLong(views);
    }

    /**
     * Servers of a variant's locks.
     *
     * @throws UnsupportedOperationException with an explanation, if it has none
     */
    public LockServers locks(Variant variant) {
        return switch (variant) {
            case V0, V1, V2 ->
                throw new UnsupportedOperationException(
                        variant.id() + " (" + variant.title() + ") has no lock in Redis. Run v3 or v4");
            case V3 -> started(servers).locks();
            case V4 -> started(servers).quorum();
        };
    }

    /** The server of the data, which can be restarted. */
    public LockServers data() {
        return MasterServers.of(started(servers).store());
    }

    /** Changes servers and instances exclusively. Does nothing and returns empty while another thread changes them. */
    public <T> Optional<T> alone(Supplier<T> action) {
        if (!interference.tryLock()) {
            return Optional.empty();
        }
        try {
            return Optional.of(action.get());
        } finally {
            interference.unlock();
        }
    }

    /** Waits until no thread changes servers and instances, then reads. */
    public <T> T undisturbed(Supplier<T> read) {
        interference.lock();
        try {
            return read.get();
        } finally {
            interference.unlock();
        }
    }

    /** Waits until every instance answers, including replacements of killed ones. */
    public void awaitInstances() {
        boolean up = Polling.until(
                () -> instances.stream().allMatch(instance -> instance.status() == InstanceProcess.Status.UP),
                InstanceProcess.START);
        if (!up) {
            throw new IllegalStateException(
                    "Not all instances came up within " + InstanceProcess.START.toSeconds() + " s");
        }
    }

    /** Threads for background work; they end with the deployment. */
    public ScheduledExecutorService background() {
        return background;
    }

    /** Whether closing has started. */
    public boolean isClosed() {
        return closer.isClosed();
    }

    /** Ends all processes and waits for them. Idempotent. */
    @Override
    public void close() {
        closer.close();
    }

    private Servers startServers() {
        RedisServer store = closer.add(RedisServer.start("--appendonly", "yes", "--appendfsync", "always"));
        listener.progressed("Redis of the data at " + store.address());
        LockServers quorum = new QuorumServers(closer.add(RedisQuorum.start(QuorumServers.SERVERS)));
        listener.progressed("Five Redis servers for Redlock: " + String.join(" ", quorum.properties()));
        LockServers locks = MasterServers.start(plan.topology(), store, closer);
        listener.progressed("Locks of v3 in " + plan.locksOf(Variant.V3) + ": " + String.join(" ", locks.properties()));
        return new Servers(store, locks, quorum);
    }

    private List<InstanceProcess> prepareInstances(Servers started) {
        Set<String> properties = new LinkedHashSet<>(started.locks().properties());
        properties.addAll(started.quorum().properties());
        properties.add("demo.pview.store-port=" + started.store().port());
        return IntStream.range(0, plan.instances())
                .mapToObj(index -> instance(index, properties))
                .toList();
    }

    private InstanceProcess instance(int index, Set<String> properties) {
        String name = Character.toString('A' + index);
        List<String> own = Stream.concat(properties.stream(), Stream.of("demo.pview.instance=" + name))
                .map(property -> "--" + property)
                .toList();
        return new InstanceProcess(name, own, listener, closer);
    }

    private static <T> T started(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("The experiment is not set up");
        }
        return part;
    }
}
