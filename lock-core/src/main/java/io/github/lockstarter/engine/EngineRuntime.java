package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockAdmin.Waiter;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.backend.BackendCalls;
import io.github.lockstarter.engine.backend.LockTokenFactory;
import io.github.lockstarter.engine.backend.PendingReleases;
import io.github.lockstarter.engine.backend.RecentRevocations;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.event.RecoveryEvents;
import io.github.lockstarter.engine.heartbeat.HeartbeatListener;
import io.github.lockstarter.engine.heartbeat.Heartbeats;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.hold.LossDetector;
import io.github.lockstarter.engine.queue.Backoff;
import io.github.lockstarter.engine.queue.KeyQueue;
import io.github.lockstarter.engine.queue.KeyQueues;
import io.github.lockstarter.engine.queue.Obstacle;
import io.github.lockstarter.engine.queue.Waiters;
import io.github.lockstarter.engine.release.AbandonedHoldHandler;
import io.github.lockstarter.engine.release.HandOver;
import io.github.lockstarter.engine.release.LockReleaser;
import io.github.lockstarter.engine.release.ReleaseSender;
import io.github.lockstarter.engine.release.UnfinishedOperations;
import io.github.lockstarter.engine.renewal.Watchdog;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.thread.EngineLog;
import io.github.lockstarter.engine.timer.EngineTimer;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An engine between start and stop: creates its parts, and ends holds that another instance revoked. Thread-safe;
 * without state of its own.
 */
final class EngineRuntime implements HeartbeatListener {

    /** Beyond the longest command timeout that can be configured. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(65);

    private static final int MOST_NAMED = 10;

    /** Of how many locks that are waited for one beat asks at most. */
    private static final int MOST_LOOKS = 100;

    /** How many locks of an owner that is gone are tried with one beat; the next one finds the others. */
    private static final int MOST_TRIES = 1_000;

    private final EngineContext context;
    private final RandomGenerator jitter;
    private final Waiters waiters;
    private final LossDetector lossDetector;
    private final ReleaseSender releases;
    private final AttemptRunner attempts;
    private final Acquirer acquirer;
    private final RecoveryEvents recoveries;
    private final Watchdog watchdog;
    private final EngineHoldOperations operations;

    EngineRuntime(
            LockBackend backend,
            EngineSettings settings,
            List<LockListener> listeners,
            EngineEnvironment environment,
            LockTokenFactory tokens,
            HeldLocks heldLocks) {
        BackendCalls calls = new BackendCalls(backend);
        EngineClock clock = environment.clock();
        EventDispatcher events = new EventDispatcher(
                listeners,
                environment.newLossExecutor().get(),
                environment.newCallbackExecutor().get(),
                environment.newCompletionExecutor().get());
        EngineTimer timer = environment.newTimer().apply(clock);
        jitter = environment.jitter();
        Heartbeats heartbeats = new Heartbeats(backend, settings, clock, timer, this);
        context = new EngineContext(
                calls,
                settings,
                clock,
                events,
                timer,
                tokens,
                heartbeats,
                new Holds(),
                heldLocks,
                new RecentRevocations());
        PendingReleases pendingReleases =
                new PendingReleases(calls, clock, timer, settings.maxLease(), PendingReleases.MOST_REMEMBERED);
        KeyQueues queues = queues(context, jitter);
        waiters = new Waiters(queues, context, pendingReleases);
        lossDetector = new LossDetector(context, waiters::freed);
        releases = new ReleaseSender(context, lossDetector, pendingReleases, waiters);
        watchdog = new Watchdog(context, lossDetector, releases::release);
        HandOver handOver = new HandOver(context, waiters, watchdog, releases);
        LockReleaser releaser = new LockReleaser(context, lossDetector, releases, handOver);
        operations = new EngineHoldOperations(context, lossDetector, watchdog, releaser);
        attempts = new AttemptRunner(context, queues, pendingReleases, releaser, watchdog);
        waiters.executeWith(attempts::execute);
        acquirer = new Acquirer(context, attempts, releaser, operations);
        recoveries = new RecoveryEvents(clock, events, timer);
        watchdog.ifUnreachable(new AbandonedHoldHandler(events, releaser)::found);
        UnfinishedOperations unfinished =
                new UnfinishedOperations(context.holds(), releaser, operations, acquirer::abandon);
        timer.afterEachTick(() -> tick(watchdog, unfinished));
    }

    /** Begins the heartbeats, which nothing but {@link #close} ends. */
    void begin() {
        context.heartbeats().begin();
    }

    @Override
    public void afterBeat() {
        watchdog.afterBeat();
    }

    /**
     * {@inheritDoc} One lock of each owner first, then others as far as there is room, by chance: a lock may have
     * another owner by now.
     */
    @Override
    public List<String> waitedFor(CrashDetection detection) {
        Random random = new Random(jitter.nextLong());
        List<String> first = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (List<String> owned : waiters.queues().watchedByOwner().values()) {
            owned.removeIf(key -> !context.heartbeats().isAt(key, detection));
            Collections.shuffle(owned, random);
            first.addAll(owned.subList(0, Math.min(1, owned.size())));
            others.addAll(owned.subList(Math.min(1, owned.size()), owned.size()));
        }
        Collections.shuffle(first, random);
        Collections.shuffle(others, random);
        return Stream.concat(first.stream(), others.stream()).limit(MOST_LOOKS).toList();
    }

    /** {@inheritDoc} Other locks of these owners are tried with them. */
    @Override
    public void abandoned(List<String> keys) {
        Set<String> gone = Set.copyOf(keys);
        Set<String> free = new HashSet<>(gone);
        for (List<String> owned : waiters.queues().watchedByOwner().values()) {
            if (owned.stream().anyMatch(gone::contains)) {
                owned.stream().limit(MOST_TRIES).forEach(free::add);
            }
        }
        free.forEach(attempts::signal);
    }

    /** The store can be reached, for the first time or again: it is asked at once. */
    void mailboxOpened() {
        context.heartbeats().begin();
    }

    private static void tick(Watchdog watchdog, UnfinishedOperations unfinished) {
        try {
            watchdog.renewDue();
        } finally {
            unfinished.run();
        }
    }

    private static KeyQueues queues(EngineContext context, RandomGenerator jitter) {
        Holds holds = context.holds();
        int fencingTokens = context.settings().handOver().fencingTokens();
        return new KeyQueues(new KeyQueue.Collaborators(
                key -> holds.here(key).flatMap(Obstacle::of),
                new AttemptTokens(context.tokens(), context.heartbeats())::next,
                context.tokens()::next,
                key -> Math.min(
                        fencingTokens, context.backend().capabilities(key).fencingTokens()),
                new Backoff(context.settings().maxRetryDelay(), jitter),
                context.timer()));
    }

    Heartbeats heartbeats() {
        return context.heartbeats();
    }

    Acquirer acquirer() {
        return acquirer;
    }

    Holds holds() {
        return context.holds();
    }

    void signal(String key) {
        attempts.signal(key);
    }

    void wanted(String key) {
        waiters.wanted(key);
    }

    void signalAll() {
        attempts.signalAll();
    }

    /** What happened to the store. */
    void storeEvent(StoreEvent event) {
        if (event instanceof StoreEvent.RecoveryStarted recovery) {
            recoveries.recovers(recovery);
        } else {
            context.events().publish(event);
        }
    }

    List<Waiter> waiters() {
        return attempts.waiters();
    }

    /**
     * Ends the hold that an operator sees under this fencing token: its own, or the last of its grant, which stands for
     * the owner that has the lock by that grant; and then releases it. Empty if there is none, or it is being left.
     */
    Optional<CompletableFuture<ReleaseResult>> revoke(String key, long fencingToken) {
        Optional<Hold> meant = holds().find(key, hold -> hold.grant.lastFencingToken == fencingToken)
                .map(this::endOf)
                .or(() -> holds().find(key, hold -> hold.fencingToken == fencingToken));
        return meant.flatMap(hold -> context.backend().during(() -> free(hold)));
    }

    /** Ends the hold before the store frees the lock. */
    private Optional<CompletableFuture<ReleaseResult>> free(Hold hold) {
        ReleaseSender.Awaited awaited = releases.answerFor(hold);
        if (!end(hold, LossCause.REVOKED)) {
            releases.forget(awaited);
            return Optional.empty();
        }
        return Optional.of(awaited.answer());
    }

    /**
     * Ends the hold, and releases it. A thread that writes a renewal at the moment releases afterwards, so that no
     * renewal follows the release.
     */
    private boolean end(Hold hold, LossCause cause) {
        if (!lossDetector.lose(hold, cause)) {
            return false;
        }
        if (!hold.lifecycle.isRenewalUnderWay()) {
            releases.release(hold);
        }
        return true;
    }

    /**
     * Another instance took away what was granted to the lock token with this fingerprint. It is released all the same:
     * a renewal that the store executed later may have given it back, and a quorum may have kept a part.
     */
    void revoked(String key, String fingerprint) {
        context.recentRevocations().add(key, fingerprint);
        holds().find(key, hold -> hold.grant.token.fingerprint().equals(fingerprint))
                .map(this::endOf)
                .ifPresent(hold -> context.backend().during(() -> end(hold, LossCause.REVOKED)));
    }

    /** The last hold of the grant: the one that is there once no other can follow. */
    private Hold endOf(Hold seen) {
        seen.grant.revoke();
        return holds().find(seen.key, hold -> hold.grant == seen.grant).orElse(seen);
    }

    /** Whether locks are granted. */
    boolean isOpen() {
        return !attempts.isClosed();
    }

    /** Grants locks again after {@link #drain}. */
    void open() {
        attempts.open();
    }

    /** Refuses, and ends the waits. Completed when nothing is held, and the store has answered. */
    CompletableFuture<Void> drain() {
        attempts.close();
        return holds().whenEmpty().thenCompose(any -> context.backend().quiet());
    }

    /** Refuses, ends the waits and the renewals, and blocks until nothing is held. */
    void leaveToLeases() {
        attempts.close();
        holds().forEach(Hold::endRenewals);
        List<HeldLock> held = holds().snapshot();
        if (!held.isEmpty()) {
            EngineLog.warn("{}", stillHeld(held));
            BlockingWait.awaitUninterruptibly(holds().whenEmpty());
        }
    }

    private static String stillHeld(List<HeldLock> held) {
        Duration longest = held.stream()
                .map(HeldLock::remainingLease)
                .max(Duration::compareTo)
                .orElseThrow();
        String names = held.stream()
                .limit(MOST_NAMED)
                .map(lock -> "'" + LockRequest.printable(lock.key()) + "' (" + lock.owner() + ")")
                .collect(Collectors.joining(", "));
        return held.size() + " locks are held at the end of the shutdown and renewed no more. It waits until their"
                + " holders release them or their leases end, at most " + DurationText.of(longest) + ": " + names
                + (held.size() > MOST_NAMED ? " and more" : "");
    }

    /** Refuses, ends the waits, ends the renewals, reports the loss to the holders, and releases what they held. */
    void close() {
        BlockingWait.awaitUninterruptibly(beginClose(), LONGEST_STOP);
        context.events().close();
    }

    /** As {@link #close}, but does not wait for the answers of the store; completed with the last one. Idempotent. */
    CompletableFuture<Void> beginClose() {
        attempts.close();
        context.timer().close();
        holds().forEach(hold -> end(hold, LossCause.SHUTDOWN));
        operations.close();
        return context.backend().quiet();
    }
}
