package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.simulation.net.Server;
import io.github.lockstarter.simulation.net.ServerGroup;
import io.github.lockstarter.simulation.redis.LuaInterpreter;
import io.github.lockstarter.simulation.time.Process;
import io.github.lockstarter.simulation.time.VirtualTime;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The world of a running episode: time, servers, instances and the log. */
final class World {

    /** Of the servers' clocks, in seconds since 1970. */
    private static final long EPOCH_SECONDS = 1_750_000_000;

    private static final long EPOCH_MICROS = EPOCH_SECONDS * 1_000_000;

    private static final String HISTORY = "lock:history";
    private static final Duration RETRY = Duration.ofMillis(20);
    private static final Duration AFTERMATH = Duration.ofSeconds(2);
    private static final Duration LONGEST_FREE = Duration.ofMillis(300);

    /** Of a packet, in nanoseconds. */
    private static final int SHORTEST_DELAY = 30_000;

    private static final int USUAL_SPREAD = 300_000;

    /** One packet of so many takes up to {@link #LONGEST_DELAY}. */
    private static final int RARE = 200;

    private static final int LONGEST_DELAY = 30_000_000;

    /** Writes that an append-only file lacks after a crash. */
    private static final int MOST_LOST = 30;

    final VirtualTime time = new VirtualTime();
    final Plan plan;
    final Plan.Setting setting;
    final ServerGroup servers;
    final Resource resource = new Resource();

    /** The running instances, by place; replaced when one restarts. */
    final List<Instance> instances = new ArrayList<>();

    /** Who injects faults and looks at everything; never paused. */
    final Process observer = new Process("observer");

    final Calm calm = new Calm(this);
    final PromiseWatch promises = new PromiseWatch(this);
    final LateWithdrawals lateWithdrawals = new LateWithdrawals(this);
    final StoreWatch watch = new StoreWatch(this);
    final Tickets tickets;

    /** All that have started, by their ids. */
    private final Map<String, Instance> started = new HashMap<>();

    private final List<LabEvent> log = new ArrayList<>();
    private final Random ids;

    /** How many times as long packets take at the moment. */
    private int slowness = 1;

    private final Map<String, Long> expiredAt = new HashMap<>();
    private final Map<String, Long> revokedTokens = new HashMap<>();
    private final Map<String, Long> revokedUntil = new HashMap<>();

    /** By how much the clock of a server was set back. */
    private Duration clockStep = Duration.ZERO;

    /** Whether callers begin no further sections. */
    private boolean ending;

    private boolean healed;

    World(Plan plan, LuaInterpreter lua) {
        this.plan = plan;
        this.setting = plan.setting();
        this.ids = random("ids");
        this.tickets = new Tickets(this);
        List<Server> group = new ArrayList<>();
        for (int i = 0; i <= setting.replicas(); i++) {
            group.add(new Server("redis-" + i, new WatchedRedis(this, lua, this::serverMicros, this::nextId)));
        }
        Random disk = random("disk");
        if (disk.nextBoolean()) {
            int lost = disk.nextBoolean() ? 0 : disk.nextInt(MOST_LOST);
            group.forEach(server -> server.redis.keepAppendOnlyFile(lost));
        }
        this.servers = new ServerGroup(group);
    }

    /**
     * A separate source of random choices per purpose, so that fewer choices of one purpose do not change the others.
     */
    Random random(String purpose) {
        return new Random(new SplittableRandom(plan.seed() ^ ((long) purpose.hashCode() << 32)).nextLong());
    }

    private long serverMicros() {
        return EPOCH_MICROS + time.nanos() / 1_000;
    }

    /** When a server's clock, that was not set, showed this. */
    long nanosOf(long serverMicros) {
        return (serverMicros - EPOCH_MICROS) * 1_000;
    }

    /** The wall clock of all instances. */
    long wallMillis() {
        return EPOCH_SECONDS * 1_000 + time.nanos() / 1_000_000;
    }

    private String nextId() {
        return String.format("%040x", new BigInteger(160, ids));
    }

    /** How long threads of an instance take to begin. */
    LongSupplier threads(String instance) {
        Random random = random(instance + " threads");
        return () -> SHORTEST_DELAY + random.nextInt(random.nextInt(RARE) == 0 ? LONGEST_DELAY : USUAL_SPREAD);
    }

    /** How long packets of an instance take. */
    LongSupplier packets(String instance) {
        Random random = random(instance + " packets");
        return () -> (long) slowness
                * (SHORTEST_DELAY + random.nextInt(random.nextInt(RARE) == 0 ? LONGEST_DELAY : USUAL_SPREAD));
    }

    void slowDown(int times) {
        slowness = times;
    }

    /** An instance has started, with this id. */
    void started(String instanceId, Instance instance) {
        started.put(instanceId, instance);
    }

    String nameOf(String instanceId) {
        return Objects.requireNonNull(started.get(instanceId), instanceId).name;
    }

    /** The key in Redis of a lock, or of a slot of one. */
    static String entry(String key) {
        String lock = LabEvent.lockOf(key);
        return "lock:{" + lock + '}' + (key.equals(lock) ? "" : ":p" + key.substring(key.lastIndexOf('p') + 1));
    }

    /** Of all locks. */
    List<String> slots() {
        return IntStream.range(0, setting.keys())
                .boxed()
                .flatMap(
                        key -> IntStream.range(0, setting.permits()).mapToObj(slot -> LabEvent.slotOf("k" + key, slot)))
                .toList();
    }

    static int slotOf(String key) {
        return key.equals(LabEvent.lockOf(key)) ? 0 : Integer.parseInt(key.substring(key.lastIndexOf('p') + 1));
    }

    /** Whether an instance waits for this slot. */
    boolean isWanted(String key, Predicate<Instance> among) {
        String lock = LabEvent.lockOf(key);
        int slot = slotOf(key);
        return instances.stream()
                .filter(among)
                .flatMap(instance -> instance.waiting().stream())
                .anyMatch(caller -> caller.wants(lock, slot));
    }

    /** The instance with an id, if it is alive and runs. */
    Optional<Instance> running(String instanceId) {
        return Optional.ofNullable(started.get(instanceId))
                .filter(instance -> instance.process.isRunning() && !instance.isStopping());
    }

    /** Whether it is known and killed. */
    boolean isDead(String instanceId) {
        Instance instance = started.get(instanceId);
        return instance != null && instance.process.isDead();
    }

    /** Whether the instance with an id that begins so has neither ended nor begun to. */
    boolean isAlive(String shortId) {
        return started.entrySet().stream()
                .filter(each -> each.getKey().startsWith(shortId))
                .anyMatch(each ->
                        !each.getValue().process.isDead() && !each.getValue().isStopping());
    }

    // State for faults

    /** A server that has lost locks must not receive its first request from an instance without knowledge of it. */
    boolean mayForget() {
        return servers.master().process().isRunning()
                && instances.stream().allMatch(instance -> instance.isWarm() || instance.process.isDead());
    }

    /** Starts another instance in place of an ended one, as soon as possible. */
    void replace(Instance ended) {
        boolean marked = servers.master().redis.keys().containsKey(HISTORY);
        if (!ended.process.isDead() || !marked || !servers.master().process().isRunning()) {
            after(RETRY, () -> replace(ended));
        } else if (instances.get(ended.place()) == ended) {
            Instance next = ended.successor();
            instances.set(ended.place(), next);
            next.serve(plan.callers());
        }
    }

    /** Starts a server that crashed; it follows the master, unless it is the master. */
    void startAgain(Server crashed) {
        if (crashed.process().isDead()) {
            crashed.start();
            if (crashed != servers.master()) {
                crashed.redis.follow(servers.master().redis);
            }
        }
    }

    /** A replica that may become the master now. */
    Optional<Server> promotable(int choice) {
        List<Server> running = servers.replicas().stream()
                .filter(server -> server.process().isRunning())
                .filter(servers::follows)
                .toList();
        return !mayForget() || running.isEmpty() ? Optional.empty() : Optional.of(running.get(choice % running.size()));
    }

    boolean isClockStepped() {
        return !clockStep.isZero();
    }

    /** For how long a lock may stay that a server has by mistake, such as since it remembers an earlier state. */
    Duration longestStay() {
        return setting.grace().plus(clockStep);
    }

    boolean stepClockBack(Duration by) {
        if (isClockStepped()) {
            return false;
        }
        clockStep = by;
        servers.master().redis.stepClock(by.negated());
        return true;
    }

    /** An operator revokes a lock by the last fencing token of its grant: the holder detects it later. */
    void revoked(String key, long fencingToken) {
        Duration untilLearnt = setting.lease().multipliedBy(4).dividedBy(3).plus(AFTERMATH);
        revokedTokens.put(key, fencingToken);
        revokedUntil.put(key, time.nanos() + untilLearnt.toNanos());
        write(event(EventKind.FREEING, "operator").of(key, 0));
    }

    /** A hold was lost: its lock may become free without a release or notification. */
    void expired(String key) {
        expiredAt.put(key, time.nanos());
    }

    /** How long a lock with waiters may be free without a fault. */
    Duration longestFree(String key) {
        long since = time.nanos() - expiredAt.getOrDefault(key, 0L);
        Duration untilNextLook = setting.untilNextLook().plus(LONGEST_FREE);
        return since < untilNextLook.toNanos() ? untilNextLook : LONGEST_FREE;
    }

    /** Whether an operator has revoked the hold with this fencing token, which its holder may not have detected. */
    boolean isRevoked(String key, long fencingToken) {
        return fencingToken <= revokedTokens.getOrDefault(key, 0L) && revokedUntil.getOrDefault(key, 0L) > time.nanos();
    }

    /** The lock was granted. */
    void granted(String key) {
        expiredAt.remove(key);
        watch.granted(key);
    }

    // The run

    boolean isEnding() {
        return ending;
    }

    void end() {
        ending = true;
    }

    /** Whether no further faults occur. */
    boolean isHealed() {
        return healed;
    }

    void healed() {
        healed = true;
    }

    /** An event of a worker that happens now; not written yet. */
    LabEvent event(EventKind kind, String worker) {
        return LabEvent.at(kind, worker, time.nanos());
    }

    void write(LabEvent event) {
        log.add(event);
    }

    /** Something that must not be. */
    void anomaly(String invariant, String worker, String key, String what) {
        write(event(EventKind.ANOMALY, worker).of(key, 0).noting(invariant + ' ' + what));
    }

    /** The events so far. */
    List<LabEvent> log() {
        return List.copyOf(log);
    }

    /** Has the observer do something later. */
    void after(Duration delay, Runnable action) {
        time.in(delay.toNanos(), observer, action);
    }
}
