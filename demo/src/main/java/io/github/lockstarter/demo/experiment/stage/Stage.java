package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The servers, instances and the proxy of an experiment, each a process of its own: from {@link #start} to
 * {@link #close}.
 *
 * <p>Started once, by one thread. Closed by any thread, also while it starts, which then fails. The mutable field is
 * {@code parts}, which grows while the stage starts.
 */
public final class Stage implements AutoCloseable {

    private static final int BACKGROUND_THREADS = 16;

    private final StagePlan plan;
    private final StageListener listener;
    private final Belongings belongings = new Belongings();
    private final ScheduledExecutorService background =
            Executors.newScheduledThreadPool(BACKGROUND_THREADS, Stage::daemon);
    private final ReentrantLock interference = new ReentrantLock();
    private final AtomicReference<Parts> parts = new AtomicReference<>(Parts.NONE);

    /**
     * A stage on which nothing stands yet.
     *
     * @param plan what to set up
     * @param listener is told of progress and events
     */
    public Stage(StagePlan plan, StageListener listener) {
        this.plan = plan;
        this.listener = listener;
        belongings.add(background::shutdownNow);
    }

    private record Servers(EmbeddedRedis store, LockServers locks, LockServers quorum, RedisConsole console) {

        /** The server of the data, as one that could be restarted. */
        LockServers data() {
            Replication alone = new Replication(Topology.STANDALONE, List.of(store), List.of(), console);
            return new MasterServers(alone, List.of(), console);
        }
    }

    private record Parts(Optional<Servers> servers, List<Instance> instances, Optional<ReverseProxy> proxy) {

        static final Parts NONE = new Parts(Optional.empty(), List.of(), Optional.empty());
    }

    /**
     * Starts everything, and waits until each instance counts in each variant.
     *
     * @throws RuntimeException when something does not start; what was started runs until {@link #close}
     */
    public void start() {
        Servers servers = startServers();
        parts.set(new Parts(Optional.of(servers), List.of(), Optional.empty()));
        List<Instance> instances = prepareInstances(servers);
        parts.set(new Parts(Optional.of(servers), instances, Optional.empty()));
        listener.progressed("Starting " + instances.size() + " instances of the application");
        instances.forEach(Instance::start);
        for (Instance instance : instances) {
            instance.awaitReady();
            listener.progressed(
                    "Instance " + instance.name() + " (pid " + instance.pid() + ") listens on port " + instance.port());
        }
        ReverseProxy proxy = belongings.add(ReverseProxy.start(
                NginxProxy.find(), instances.stream().map(Instance::port).toList(), listener));
        parts.set(new Parts(Optional.of(servers), instances, Optional.of(proxy)));
        listener.progressed("Reverse proxy: " + proxy.name() + " at " + proxy.uri());
        listener.progressed("Each instance counts once in each variant, to warm up");
        new WarmUp(instances).run();
    }

    /**
     * What it was planned as.
     *
     * @return the plan
     */
    public StagePlan plan() {
        return plan;
    }

    /**
     * The instances, as far as they are there.
     *
     * @return in the order of their names
     */
    public List<Instance> instances() {
        return parts().instances();
    }

    /**
     * The reverse proxy.
     *
     * @return its name; empty before it is started
     */
    public Optional<String> proxyName() {
        return parts().proxy().map(ReverseProxy::name);
    }

    /**
     * Where a page is counted, through the reverse proxy.
     *
     * @param variant how
     * @param page the page
     * @return the address
     */
    public URI uri(Variant variant, String page) {
        URI proxy = parts().proxy().orElseThrow(Stage::notStarted).uri();
        return proxy.resolve(variant.path() + "?page=" + page);
    }

    /**
     * The views of a page that the store has.
     *
     * @param variant how it was counted
     * @param page the page
     * @return the counter
     * @throws io.lettuce.core.RedisException when the store does not answer
     */
    public long views(Variant variant, String page) {
        Servers servers = servers();
        String views =
                servers.console().ask(servers.store().port(), redis -> redis.hget(variant.storeKey(page), "views"));
        return views == null ? 0 : Long.parseLong(views);
    }

    /**
     * Kills servers of the locks of a variant and starts them again; that of the data where it has no locks.
     *
     * @param variant the variant
     * @param page the page whose lock is to be hit
     * @return what was done, in words
     */
    public String restartRedis(Variant variant, String page) {
        return variant.isLocked()
                ? locksOf(variant).restart(variant.lockKey(page))
                : servers().data().restart(variant.lockKey(page));
    }

    /**
     * Kills the server of a lock, so that another one takes over; then that one, and so on.
     *
     * @param variant the variant
     * @param page the page whose lock is to be hit
     * @param times how often, from 1
     * @return what was done, in words
     * @throws UnsupportedOperationException when no other can take over; the message says so
     */
    public String failOver(Variant variant, String page, int times) {
        return locksOf(variant).failOver(variant.lockKey(page), times);
    }

    /**
     * Deletes the key of a lock.
     *
     * @param variant the variant
     * @param page the page whose lock is to be hit
     * @throws UnsupportedOperationException when the variant has no lock
     */
    public void deleteKey(Variant variant, String page) {
        locksOf(variant).delete(variant.lockKey(page));
    }

    /**
     * Says whether a variant has a lock that could be hit.
     *
     * @param variant the variant
     * @throws UnsupportedOperationException when it has none
     */
    public void checkLock(Variant variant) {
        locksOf(variant);
    }

    /**
     * Moves the clock of one of the servers of a lock.
     *
     * @param variant the variant
     * @param ahead how far, from the clock of the machine
     * @return what was done, in words
     * @throws UnsupportedOperationException when that cannot be done; the message says so
     */
    public String moveClock(Variant variant, Duration ahead) {
        return locksOf(variant).moveClock(ahead);
    }

    /**
     * Says whether another server can take over the locks of a variant.
     *
     * @param variant the variant
     * @throws UnsupportedOperationException when none can; the message says so
     */
    public void requireReplicas(Variant variant) {
        locksOf(variant).requireReplicas();
    }

    /**
     * Does something to servers and instances while nobody else does.
     *
     * @param act what to do
     * @param <T> what it gives
     * @return what it gave; empty when somebody else is at it, and then nothing was done
     */
    public <T> Optional<T> alone(Supplier<T> act) {
        if (!interference.tryLock()) {
            return Optional.empty();
        }
        try {
            return Optional.of(act.get());
        } finally {
            interference.unlock();
        }
    }

    /**
     * Takes a look when nobody does anything to servers and instances. Blocks until then.
     *
     * @param look what to look at
     * @param <T> what it gives
     * @return what it gave
     */
    public <T> T undisturbed(Supplier<T> look) {
        interference.lock();
        try {
            return look.get();
        } finally {
            interference.unlock();
        }
    }

    /** Waits until every instance answers, also one that was killed and is being replaced. */
    public void awaitInstances() {
        Readiness.await("all instances are up", Instance.START, () -> instances().stream()
                .allMatch(instance -> instance.status() == Instance.Status.UP));
    }

    /**
     * Threads for what goes on beside a run.
     *
     * @return ends with the stage
     */
    public ScheduledExecutorService background() {
        return background;
    }

    /** Ends everything, and waits until it is gone. Harmless when repeated. */
    @Override
    public void close() {
        belongings.close();
    }

    private Parts parts() {
        return Objects.requireNonNull(parts.get());
    }

    private Servers startServers() {
        RedisConsole console = belongings.add(new RedisConsole());
        ServerFactory factory = new ServerFactory(belongings, console);
        EmbeddedRedis store = factory.store();
        listener.progressed("Redis of the data at " + store.address());
        LockServers quorum = factory.quorum();
        listener.progressed("Five Redis servers for Redlock: " + String.join(" ", quorum.properties()));
        LockServers locks = factory.locks(plan, store, quorum);
        listener.progressed("Locks of v3 in " + place() + ": " + String.join(" ", locks.properties()));
        return new Servers(store, locks, quorum, console);
    }

    private String place() {
        return plan.backend().id()
                + (plan.backend() == Backend.REDIS ? " (" + plan.topology().id() + ")" : "");
    }

    private List<Instance> prepareInstances(Servers servers) {
        Set<String> properties = new LinkedHashSet<>(servers.locks().properties());
        properties.addAll(servers.quorum().properties());
        properties.addAll(redisOf(servers));
        properties.add("demo.store.port=" + servers.store().port());
        return IntStream.range(0, plan.instances())
                .mapToObj(i -> belongings.add(
                        Instance.prepare(Character.toString('A' + i), List.copyOf(properties), listener)))
                .toList();
    }

    /** Where the locks of v3 are elsewhere, the instances still have a Redis: that of the data. */
    private List<String> redisOf(Servers servers) {
        return plan.backend() == Backend.REDIS
                ? List.of()
                : List.of(
                        "spring.data.redis.host=" + Loopback.HOST,
                        "spring.data.redis.port=" + servers.store().port());
    }

    private LockServers locksOf(Variant variant) {
        return switch (variant) {
            case V0, V1, V2 ->
                throw new UnsupportedOperationException(
                        variant.id() + " (" + variant.title() + ") has no lock in Redis. Run v3 or v4");
            case V3 -> servers().locks();
            case V4 -> servers().quorum();
        };
    }

    private Servers servers() {
        return parts().servers().orElseThrow(Stage::notStarted);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "stage");
        thread.setDaemon(true);
        return thread;
    }

    private static IllegalStateException notStarted() {
        return new IllegalStateException("The stage is not set up");
    }
}
