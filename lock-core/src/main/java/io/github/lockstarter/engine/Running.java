package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of an engine, between start and stop: the {@link KeyLock}s, and what they share. Carries their effects out.
 * Thread-safe.
 */
final class Running {

    private static final String FAILED = "the lock client failed unexpectedly";
    private static final int MOST_NAMED = 10;

    /** Of how many locks that are waited for one beat asks at most. */
    private static final int MOST_LOOKS = 100;

    /** How many locks of an owner that is gone are tried with one beat; the next one finds the others. */
    private static final int MOST_TRIES = 1_000;

    /** How many times as long a waiter sleeps where the heartbeat looks at the owner. */
    private static final int WATCHED = 6;

    private static final long SPREAD_NANOS = 4_000_000;
    private static final double FIRST_SHARE = 0.1;
    private static final int LOOKS_PER_TAKE_OVER = 3;
    private static final long LONGEST_LOOK = 335;
    private static final double JITTER = 0.2;

    /** Refusals of a drain and of a stop, which differ by identity: only the first can be withdrawn. */
    private static final Outcome.Failed DRAINED = Outcome.Failed.shutDown();

    private static final Outcome.Failed STOPPED = Outcome.Failed.shutDown();

    private static final AtomicReferenceFieldUpdater<Running, Outcome.Failed> CLOSED =
            AtomicReferenceFieldUpdater.newUpdater(Running.class, Outcome.Failed.class, "closed");

    final StoreCalls calls;
    final EngineSettings settings;
    final EngineSettings.HandOver limits;
    final EventDispatcher events;
    final EngineTimer timer;
    final Heartbeat heartbeat;
    final Watchdog watchdog;
    final HeldLocks heldLocks;
    final Acquisitions acquisitions = new Acquisitions(this);
    final Duration patience;

    /** How many fencing tokens a grant of the store can cover. */
    final int mostFencingTokens;

    private final Optional<Waiting> newcomer;
    final Wait goesOnWaiting;
    final long beganAt;

    /** Whether a thread could not complete what it began for want of stack or memory. A field: it can call nothing. */
    volatile boolean hasUnfinished;

    final EngineClock clock;
    private final EngineTokens tokens;
    private final RandomGenerator jitter;
    private final RecoveryEvents recoveries;
    private final ConcurrentHashMap<String, KeyLock> keys = new ConcurrentHashMap<>();
    private final Queue<Effects> leftovers = new ConcurrentLinkedQueue<>();
    final Queue<Settlement> unsettled = new ConcurrentLinkedQueue<>();
    private final Count held = new Count();
    private final Runnable tellIfNoneIsHeld = held::tell;

    /** Why no locks are granted; null while they are. */
    volatile Outcome.@Nullable Failed closed;

    /**
     * A run without keys.
     *
     * @param backend the store
     * @param outages of the store, over the starts of the engine
     * @param settings what is configured
     * @param listeners receivers of the events
     * @param environment time, threads and randomness
     * @param tokens identity of this instance
     * @param heldLocks what is held, over the starts of the engine
     */
    Running(
            LockBackend backend,
            Outages outages,
            EngineSettings settings,
            List<LockListener> listeners,
            EngineEnvironment environment,
            EngineTokens tokens,
            HeldLocks heldLocks) {
        this.settings = settings;
        this.limits = settings.handOver();
        this.clock = environment.clock();
        this.jitter = environment.jitter();
        this.beganAt = clock.nanos();
        this.tokens = tokens;
        this.heldLocks = heldLocks;
        this.mostFencingTokens = backend.capabilities().fencingTokens();
        this.patience = settings.maxRetryDelay().multipliedBy(WATCHED).plusSeconds(10);
        this.newcomer = Optional.of(new Waiting(Waiting.NEW, patience));
        this.goesOnWaiting = new Wait.GoesOn(patience);
        this.events = new EventDispatcher(listeners, environment);
        this.timer = environment.newTimer().apply(clock);
        this.recoveries = new RecoveryEvents(clock, events, timer);
        this.calls = new StoreCalls(backend, outages, clock, timer, StoreCalls.MOST_REMEMBERED);
        this.heartbeat = new Heartbeat(backend, outages, settings, clock, timer, this::waitedFor, this::afterBeat);
        this.watchdog = new Watchdog(this);
        timer.afterEachTick(watchdog::afterTick);
    }

    Moment now() {
        return Moment.now(clock);
    }

    /** The time of an answer, which has to be taken whether or not there is memory to read the clock. */
    Moment nowOr(Moment earlier) {
        try {
            return now();
        } catch (RuntimeException | Error failure) {
            EngineLog.report("Reading the clock", failure);
            return earlier;
        }
    }

    // Keys and events

    /** The key's object, which is made if there is none. */
    KeyLock keyLock(String key) {
        KeyLock known = keys.get(key);
        if (known != null) {
            return known;
        }
        KeyLock made = new KeyLock(key, this);
        KeyLock raced = keys.putIfAbsent(key, made);
        return raced == null ? made : raced;
    }

    @Nullable
    KeyLock known(String key) {
        return keys.get(key);
    }

    void forget(KeyLock retired) {
        keys.remove(retired.key, retired);
    }

    void forEach(Consumer<KeyLock> action) {
        keys.values().forEach(action);
    }

    /** Lets an event happen, and carries its effects out; commands count as under way from here on. */
    void run(Consumer<Effects> event) {
        decide(todo -> {
            event.accept(todo);
            return true;
        });
    }

    /** The same for an event with a result. */
    private <R> R decide(Function<Effects, R> event) {
        calls.begin();
        try {
            if (hasUnfinished) {
                watchdog.begin(); // nothing else may make the timer tick, where nothing is held
            }
            return carryOut(event);
        } finally {
            calls.end();
        }
    }

    /** The same for the answer to a command, which counts as under way. */
    void follow(Consumer<Effects> event) {
        carryOut(todo -> {
            event.accept(todo);
            return true;
        });
    }

    private <R> R carryOut(Function<Effects, R> event) {
        Effects todo = new Effects();
        boolean isDone = false;
        try {
            R result = event.apply(todo);
            for (Runnable step = todo.poll(); step != null; step = todo.poll()) {
                step.run();
            }
            isDone = true;
            return result;
        } finally {
            if (!isDone) {
                leftovers.add(todo); // this thread has failed: the watchdog carries on
                hasUnfinished = true;
            }
        }
    }

    void carryOutLeftovers() {
        for (Effects todo = leftovers.poll(); todo != null; todo = leftovers.poll()) {
            Effects left = todo;
            EngineLog.guard("Carrying on for a thread that failed", () -> run(left::moveTo));
        }
    }

    // What callers do

    /** Joins the line of its key, or has its attempt made. */
    void join(Waiter waiter, Moment now) {
        run(todo -> {
            while (!waiter.lock.join(todo, waiter, now)) {
                forget(waiter.lock); // it is retired
                waiter.lock = keyLock(waiter.lock.key);
            }
        });
    }

    CompletableFuture<ReleaseOutcome> exit(Handle handle) {
        return decide(todo -> handle.hold.lock.exit(todo, handle, now()));
    }

    // What the store is sent

    void send(Attempt attempt) {
        Waiter asking = attempt.waiter;
        KeyLock lock = asking.lock;
        try {
            ResolvedRequest terms = asking.terms;
            LockToken token = tokens.next(
                    asking.owner.label(),
                    heartbeat.takeOverMillis(terms.crashTakeOver(), terms.lease()),
                    heartbeat.takeOverCondition());
            AcquireCommand command = new AcquireCommand(
                    lock.key,
                    token,
                    terms.lease(),
                    tokens.highest(lock.key),
                    attempt.fencingTokens,
                    attempt.waiting,
                    terms.atLeast(),
                    terms.permits());
            attempt.grant = new Grant(token, attempt, heartbeat.decides(token) ? heartbeat : null);
            calls.acquire(command, result -> answered(attempt, result));
        } catch (RuntimeException | Error e) {
            failed(attempt, e);
            throw e;
        }
    }

    /** How an attempt waits for a place in the queue of the store. */
    Optional<Waiting> waitingAt(long position) {
        return position == Waiting.NEW ? newcomer : Optional.of(new Waiting(position, patience));
    }

    private void answered(Attempt attempt, AcquireResult result) {
        try {
            if (result instanceof AcquireResult.Granted granted) {
                tokens.granted(attempt.waiter.lock.key, granted.fencingToken() + attempt.fencingTokens - 1);
            }
            follow(todo -> attempt.waiter.lock.answered(todo, attempt, result, nowOr(attempt.sent)));
            if (result instanceof AcquireResult.Recovering recovering) {
                events.publish(new LockEvent.Recovering(
                        attempt.waiter.terms.name(), attempt.waiter.lock.key, recovering.retryAfter()));
            }
        } catch (RuntimeException | Error e) {
            EngineLog.report("Processing the result of an attempt", e);
            failed(attempt, e);
        }
    }

    private void failed(Attempt attempt, Throwable cause) {
        Outcome.Failed failure = new Outcome.Failed(false, FAILED, cause);
        follow(todo -> attempt.waiter.lock.failed(todo, attempt, failure, nowOr(attempt.sent)));
    }

    /** Ends this instance's wait, or passes on that the slot may be free, by the token that it is registered with. */
    void withdraw(String key, @Nullable LockToken registeredBy, int slot, Runnable then) {
        ReleaseCommand command;
        try {
            command = ReleaseCommand.endOfWait(key, registeredBy == null ? tokens.next() : registeredBy, slot);
        } catch (RuntimeException | Error e) { // such as for want of memory
            then.run();
            throw e;
        }
        calls.release(command, any -> then.run());
    }

    void renew(List<Renewal> renewals) {
        int answered = 0;
        try {
            long epoch = calls.outages.epoch();
            List<CompletionStage<RenewResult>> stages =
                    calls.renew(renewals.stream().map(Renewal::command).toList());
            for (; answered < stages.size(); answered++) {
                Renewal renewal = renewals.get(answered);
                calls.answer(
                        stages.get(answered),
                        renewal.command().key(),
                        epoch,
                        result -> renewed(renewal, renewal.counted(result)));
            }
        } finally {
            for (int i = answered; i < renewals.size(); i++) { // such as for want of memory
                renewed(renewals.get(i), new RenewResult.Unknown(FAILED, new IllegalStateException(FAILED)));
            }
        }
    }

    private void renewed(Renewal renewal, RenewResult counted) {
        try {
            follow(todo -> renewal.hold().lock.renewed(todo, renewal, counted, nowOr(renewal.sent())));
        } finally {
            if (renewal.answer() != null) {
                renewal.answer().complete(counted);
            }
        }
    }

    /** Asks for the lease of the terms, else its own, and continues the hold on them if the answer is yes. */
    CompletableFuture<RenewResult> extend(Hold hold, LockRequest terms) {
        Optional<Duration> lease = Optional.of(terms.lease().orElse(hold.terms.lease()));
        return ask(hold, lease)
                .thenCompose(first -> first instanceof RenewResult.Deferred deferred
                                && deferred.retryAfter().isZero()
                        ? ask(hold, lease)
                        : CompletableFuture.completedFuture(first))
                .thenApply(result -> {
                    if (result instanceof RenewResult.Renewed) {
                        run(todo -> hold.lock.continueOn(todo, hold, terms, now()));
                    }
                    return result;
                });
    }

    /** The owner asks the store for another lease, or whether the lock is still there. */
    CompletableFuture<RenewResult> ask(Hold hold, Optional<Duration> lease) {
        StackReserve.ensure();
        CompletableFuture<RenewResult> answer = new CompletableFuture<>();
        run(todo -> hold.lock.ask(todo, hold, lease, answer, now()));
        return answer;
    }

    // What is held

    void holdAdded(Effects todo) {
        held.increment();
        if (!watchdog.isWatching()) {
            todo.add(watchdog::begin);
        }
    }

    void holdRemoved(Effects todo) {
        if (held.decrement()) {
            todo.add(tellIfNoneIsHeld);
        }
    }

    /** How many locks are held. */
    int size() {
        return held.get();
    }

    /** The lock with this key, if it is held. */
    Optional<HeldLock> find(String key) {
        KeyLock lock = known(key);
        return lock == null ? Optional.empty() : lock.held(now()).stream().findFirst();
    }

    /** All that is held. */
    List<HeldLock> snapshot() {
        Moment now = now();
        List<HeldLock> all = new ArrayList<>();
        forEach(lock -> all.addAll(lock.held(now)));
        return List.copyOf(all);
    }

    // What comes from outside

    /** The callers that wait. */
    List<LockAdmin.Waiter> waiters() {
        Moment now = now();
        List<LockAdmin.Waiter> all = new ArrayList<>();
        forEach(lock -> all.addAll(lock.waiters(now)));
        return all;
    }

    /** The keys of locks at whose owners the heartbeat looks, by the instance that has the lock. */
    Map<String, List<String>> watchedByOwner() {
        Map<String, List<String>> watched = new HashMap<>();
        forEach(lock -> lock.watched().ifPresent(owner -> watched.computeIfAbsent(owner, any -> new ArrayList<>())
                .add(lock.key)));
        return watched;
    }

    /** The lock may be free, or a slot of it. */
    void signal(String key, int slot) {
        run(todo -> {
            KeyLock lock = keyLock(key);
            while (!lock.signalled(todo, slot, now())) {
                forget(lock); // it is retired
                lock = keyLock(key);
            }
        });
    }

    /** Signals may have been missed. */
    void signalAll() {
        forEach(lock -> {
            if (lock.hasWaiters()) {
                signal(lock.key, 0);
            }
        });
    }

    /** Another instance waits. */
    void wanted(String key) {
        KeyLock lock = known(key);
        if (lock != null) {
            lock.wanted(now());
        }
    }

    /** Another instance took away what was granted to the token with this fingerprint. */
    void revoked(String key, String fingerprint) {
        KeyLock lock = known(key);
        if (lock != null) {
            run(todo -> lock.revoked(todo, fingerprint, now()));
        }
    }

    /** Ends a hold of this instance that an operator means. Empty if there is none. */
    Optional<CompletableFuture<ReleaseResult>> revoke(String key, long fencingToken) {
        KeyLock lock = known(key);
        if (lock == null) {
            return Optional.empty();
        }
        CompletableFuture<ReleaseResult> answer = new CompletableFuture<>();
        return decide(todo -> lock.revoke(todo, fencingToken, answer, now())) ? Optional.of(answer) : Optional.empty();
    }

    /** An event of the store. That it recovers is an answer of it. */
    void storeEvent(StoreEvent event) {
        if (event instanceof StoreEvent.RecoveryStarted recovery) {
            calls.outages.answered(recovery.store());
            recoveries.recovers(recovery);
        } else {
            events.publish(event);
        }
    }

    /**
     * Keys of locks that other instances have and that callers wait for, for one beat: one lock of each owner first,
     * then others as far as there is room, by chance, since a lock may have another owner by now.
     */
    private List<String> waitedFor() {
        Random random = new Random(jitter.nextLong());
        List<String> first = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (List<String> owned : watchedByOwner().values()) {
            Collections.shuffle(owned, random);
            first.addAll(owned.subList(0, Math.min(1, owned.size())));
            others.addAll(owned.subList(Math.min(1, owned.size()), owned.size()));
        }
        Collections.shuffle(first, random);
        Collections.shuffle(others, random);
        return Stream.concat(first.stream(), others.stream()).limit(MOST_LOOKS).toList();
    }

    /** A beat was sent, or answered; the owners of these locks are gone. */
    private void afterBeat(List<String> abandoned) {
        watchdog.afterBeat();
        if (!abandoned.isEmpty()) {
            EngineLog.guard("Waking those who wait for a lost owner", this::signalAbandoned, abandoned);
        }
    }

    /** Tries these locks, and others of the same owners. */
    private void signalAbandoned(List<String> keys) {
        Set<String> gone = Set.copyOf(keys);
        Set<String> free = new HashSet<>(gone);
        for (List<String> owned : watchedByOwner().values()) {
            if (owned.stream().anyMatch(gone::contains)) {
                owned.stream().limit(MOST_TRIES).forEach(free::add);
            }
        }
        free.forEach(key -> signal(key, 0));
    }

    /** Grants locks again after a drain. False if this run stops: its timer renews nothing. */
    @SuppressWarnings("ReferenceEquality")
    boolean reopen() {
        CLOSED.compareAndSet(this, DRAINED, null);
        return closed != STOPPED;
    }

    /** Grants no locks any more, and ends the waits. */
    void refuse() {
        CLOSED.compareAndSet(this, null, DRAINED);
        forEach(lock -> run(todo -> lock.refuse(todo, DRAINED, now())));
    }

    /** Refuses, and ends the waits. Completed when nothing is held, and the store has answered. */
    CompletableFuture<Void> drain() {
        refuse();
        return held.whenNone().thenCompose(any -> calls.quiet());
    }

    /** Refuses, ends the waits and the renewals, and blocks until nothing is held. */
    void leaveToLeases() {
        refuse();
        forEach(KeyLock::endRenewals);
        List<HeldLock> left = snapshot();
        if (!left.isEmpty()) {
            EngineLog.warn("{}", stillHeld(left));
            BlockingWait.awaitUninterruptibly(held.whenNone());
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
        BlockingWait.awaitUninterruptibly(beginClose(), StoreCalls.LAST_DEADLINE);
        events.close();
    }

    /** As {@link #close}, but does not wait for the answers of the store; completed with the last one. Idempotent. */
    CompletableFuture<Void> beginClose() {
        closed = STOPPED;
        refuse();
        timer.close();
        forEach(lock -> run(todo -> lock.close(todo, now())));
        unsettled.forEach(Settlement::endIfOver);
        return calls.quiet();
    }

    /** How long the waiters of a key sleep, who ask for so many permits at most, unless they are signalled. */
    long backoff(Waiter first, int permits, int round, Obstacle obstacle) {
        if (obstacle.isKept() && permits == 1) { // of several slots, only one may be kept
            Duration longest = patience.minus(settings.maxRetryDelay());
            return Math.min(obstacle.remaining().orElse(longest).toNanos() + spread(), longest.toNanos());
        }
        double maxDelay = settings.maxRetryDelay().toNanos();
        double grown = maxDelay * FIRST_SHARE * Math.pow(2, round);
        boolean isWatched = permits == 1 && obstacle.instance().isPresent() && heartbeat.detectsCrashes();
        double longest = maxDelay * (isWatched ? WATCHED : 1);
        long delay = (long) (Math.min(grown, longest) * (1 - JITTER * jitter.nextDouble()));
        Optional<Duration> lookAgain =
                isWatched && !heartbeat.hearsSignals() ? Optional.of(settings.maxRetryDelay()) : obstacle.lookAgain();
        return Math.min(
                Math.min(atMost(delay, obstacle.remaining()), atMost(delay, lookAgain)),
                atMost(delay, longestLook(permits, first.terms.crashTakeOver())));
    }

    /**
     * The beat looks at the owner of a lock with one permit, and the store tells when its lease ends. Of several
     * owners, each may have crashed, or have a lease that ends.
     */
    private static Optional<Duration> longestLook(int permits, Duration takeOver) {
        long look = takeOver.toMillis() / LOOKS_PER_TAKE_OVER + 2; // as many are long enough
        return permits == 1 || takeOver.isZero()
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(Math.min(look, LONGEST_LOOK)));
    }

    private long atMost(long delay, Optional<Duration> limit) {
        return limit.isEmpty() ? delay : Math.min(delay, limit.get().toNanos() + spread());
    }

    private long spread() {
        return 1_000_000 + jitter.nextLong(SPREAD_NANOS);
    }
}
