package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Crowd;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A JVM whose threads increment two numbers in Redis under one lock until a stop command: one with fencing tokens and,
 * as a control, one without. A command stops it in the middle of a handed-over section, with its own threads waiting
 * for the lock: it then prints {@code stalled fencingToken}, and continues on request.
 *
 * <p>Prints {@code section from heldUntil to fencingToken} for each section, where {@code heldUntil} is the last time
 * at which the hold was valid; and {@code refused} or {@code lost} with the fencing token for a late write or a loss.
 */
final class FencedJvm {

    static final String STALLS = "stalls";
    static final String RUNS = "runs";

    /** A number that the threads of this and other JVMs share, by name. */
    record Store(String key) {

        String fence() {
            return key + ":fence";
        }

        String fenced() {
            return key + ":fenced";
        }

        /** The fencing tokens of all writes to {@link #fenced}. */
        String writes() {
            return key + ":writes";
        }

        String unfenced() {
            return key + ":unfenced";
        }

        /** Exists once a stalled section may continue. */
        String goOn() {
            return key + ":go-on";
        }

        /** There when it is enough. */
        String enough() {
            return key + ":enough";
        }
    }

    /** Registers the fencing token, and only then reads. */
    private static final String OPEN = """
            if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[1]) or '0') then
              return -1
            end
            redis.call('SET', KEYS[1], ARGV[1])
            return tonumber(redis.call('GET', KEYS[2]) or '0')
            """;

    /** Writes unless a newer holder has registered. */
    private static final String WRITE = """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then
              return 0
            end
            redis.call('SET', KEYS[2], ARGV[2])
            redis.call('RPUSH', KEYS[3], ARGV[1])
            return 1
            """;

    private static final int SECTIONS_BEFORE_THE_STALL = 20;
    private static final Duration WORK = Duration.ofNanos(500_000);

    /** How the calling thread got the lock: listeners are called by the thread that waits. */
    private static final ThreadLocal<Path> PATH = new ThreadLocal<>();

    private final RedisCommands<String, String> redis;
    private final Store store;
    private final AtomicInteger handedOver = new AtomicInteger();
    private final AtomicBoolean stalls;

    private FencedJvm(RedisCommands<String, String> redis, Store store, boolean stalls) {
        this.redis = redis;
        this.store = store;
        this.stalls = new AtomicBoolean(stalls);
    }

    /**
     * Runs.
     *
     * @param arguments port, key of the lock and of the numbers, {@code stalls} or {@code runs}, threads, lease in ms
     */
    public static void main(String[] arguments) {
        RedisURI uri = RedisURI.create("127.0.0.1", Integer.parseInt(arguments[0]));
        RedisCommands<String, String> redis = RedisClient.create(uri).connect().sync();
        FencedJvm jvm = new FencedJvm(redis, new Store(arguments[1]), arguments[2].equals(STALLS));
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[4]));
        try (RedisStore backends = new RedisStore(uri)) {
            LockEngine engine = new LockEngine(
                    backends.connect(), Application.settings(lease), List.of(jvm.listener()), EngineClock.SYSTEM);
            LockTemplate locks = new LockTemplate(engine, OnLost.THROW);
            LockRequest request = LockRequest.of(arguments[1]).waitingUpTo(Duration.ofSeconds(30));
            Crowd.of(Integer.parseInt(arguments[3])).eachRuns(1, () -> {
                while (redis.exists(jvm.store.enough()) == 0) {
                    jvm.acquireAndRun(locks, request);
                }
            });
            engine.close();
        }
        System.out.println("done");
        System.exit(0);
    }

    private LockListener listener() {
        return event -> {
            if (event instanceof LockEvent.Acquired acquired) {
                PATH.set(acquired.path());
            } else if (event instanceof LockEvent.Lost lost) {
                System.out.println("lost " + lost.fencingToken());
            }
        };
    }

    private void acquireAndRun(LockTemplate locks, LockRequest request) {
        LockHandle lock;
        try {
            lock = locks.acquire(request);
        } catch (LockException e) {
            System.out.println("not acquired: " + e.getMessage());
            return; // a JVM that was stopped finds its commands timed out and its leases over
        }
        try {
            run(lock);
        } finally {
            lock.release();
        }
    }

    private void run(LockHandle lock) {
        String token = Long.toString(lock.fencingToken());
        long from = System.nanoTime();
        if (!lock.isHeld()) {
            return;
        }
        Long seen = redis.eval(OPEN, ScriptOutputType.INTEGER, new String[] {store.fence(), store.fenced()}, token);
        String seenUnfenced = redis.get(store.unfenced());
        LockSupport.parkNanos(WORK.toNanos());
        stallIfDue(token);
        long heldUntil = lastHeld(lock, from);
        Long written = redis.eval(
                WRITE,
                ScriptOutputType.INTEGER,
                new String[] {store.fence(), store.fenced(), store.writes()},
                token,
                Long.toString(seen + 1));
        redis.set(store.unfenced(), Long.toString(numberIn(seenUnfenced) + 1));
        heldUntil = lastHeld(lock, heldUntil);
        System.out.println("section " + from + ' ' + heldUntil + ' ' + System.nanoTime() + ' ' + token);
        if (written == 0) {
            System.out.println("refused " + token);
        }
    }

    private static long numberIn(@Nullable String stored) {
        return stored == null ? 0 : Long.parseLong(stored);
    }

    private static long lastHeld(LockHandle lock, long before) {
        long now = System.nanoTime();
        return lock.isHeld() ? now : before;
    }

    private void stallIfDue(String token) {
        boolean inARow = PATH.get() == Path.HANDED_OVER && handedOver.incrementAndGet() > SECTIONS_BEFORE_THE_STALL;
        if (inARow && stalls.compareAndSet(true, false)) {
            System.out.println("stalled " + token);
            while (redis.exists(store.goOn()) == 0) {
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            }
        }
    }
}
