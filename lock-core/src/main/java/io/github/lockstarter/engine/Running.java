package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.Hold.Entry;
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
import io.github.lockstarter.spi.StoreCapabilities;
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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of an engine, between start and stop: the {@link KeyLock}s and their shared state. Executes their effects.
 * Thread-safe.
 */
final class Running {

    private static final int MAX_NAMED = 10;

    /** Keys per beat. */
    private static final int MAX_LOOKS = 100;

    /** Locks of a crashed owner tried after one beat; the next beat finds the others. */
    private static final int MAX_TRIES = 1_000;

    /** Factor for the delay while the heartbeat watches the owner. */
    private static final int WATCHED_SLEEP_FACTOR = 6;

    private static final long SPREAD_NANOS = 4_000_000;
    private static final double FIRST_DELAY_SHARE = 0.1;
    private static final int LOOKS_PER_TAKEOVER = 3;
    private static final long MAX_LOOK_MILLIS = 335;
    private static final double JITTER = 0.2;

    /** Refusals of a drain and of a stop. Equal, but not the same: only the first can be withdrawn. */
    private static final WaitOutcome.Failed DRAINED = WaitOutcome.Failed.shutDown();

    private static final WaitOutcome.Failed STOPPED = WaitOutcome.Failed.shutDown();

    final StoreCalls calls;
    final EngineSettings settings;
    final EngineSettings.Handover limits;
    final EventDispatcher events;
    final EngineTimer timer;
    final Heartbeat heartbeat;
    final Watchdog watchdog;
    final HeldLocks heldLocks;
    final Duration patience;

    final StoreCapabilities capabilities;
    private final Optional<Waiting> newWaiting;
    final Wait goesOnWaiting;
    final long beganAt;

    final EngineClock clock;
    private final EngineTokens tokens;
    private final RandomGenerator jitter;
    private final RecoveryEvents recoveries;
    private final ConcurrentHashMap<String, KeyLock> keys = new ConcurrentHashMap<>();

    /** No longer in {@link #keys}, but with holds. */
    private final Set<KeyLock> failedKeys = ConcurrentHashMap.newKeySet();

    /** Waits that end with the run. */
    final Queue<Runnable> unsettled = new ConcurrentLinkedQueue<>();

    private final Count held = new Count();

    /** Why no locks are granted; null while they are. */
    final AtomicReference<WaitOutcome.@Nullable Failed> refusal = new AtomicReference<>();

    Running(
            LockBackend backend,
            Outages outages,
            EngineSettings settings,
            List<LockListener> listeners,
            EngineEnvironment environment,
            EngineTokens tokens,
            HeldLocks heldLocks) {
        this.settings = settings;
        this.limits = settings.handover();
        this.clock = environment.clock();
        this.jitter = environment.jitter();
        this.beganAt = clock.nanos();
        this.tokens = tokens;
        this.heldLocks = heldLocks;
        this.capabilities = backend.capabilities();
        this.patience =
                settings.maxRetryDelay().multipliedBy(WATCHED_SLEEP_FACTOR).plusSeconds(10);
        this.newWaiting = Optional.of(new Waiting(Waiting.NEW, patience));
        this.goesOnWaiting = new Wait.GoesOn(patience);
        this.timer = environment.newTimer().apply(clock);
        this.events = new EventDispatcher(listeners, environment, timer);
        this.recoveries = new RecoveryEvents(clock, events, timer);
        this.calls = new StoreCalls(backend, outages, clock, timer, StoreCalls.MAX_REMEMBERED);
        this.heartbeat = new Heartbeat(backend, outages, settings, clock, timer, this::waitedFor, this::afterBeat);
        this.watchdog = new Watchdog(this);
        timer.afterEachTick(watchdog::afterTick);
    }

    Moment now() {
        return Moment.now(clock);
    }

    // Keys and events

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

    /** Another object serves the key from now; this one keeps its holds until {@link #forget}. */
    void replace(KeyLock failed) {
        failedKeys.add(failed);
        keys.remove(failed.key, failed);
    }

    void forget(KeyLock retired) {
        keys.remove(retired.key, retired);
        failedKeys.remove(retired);
    }

    /** Acts on each lock; a failure concerns its own key only. */
    void forEach(Consumer<KeyLock> action) {
        all().forEach(lock -> EngineLog.guard("A step for all locks", action, lock));
    }

    private Stream<KeyLock> all() {
        return Stream.concat(keys.values().stream(), failedKeys.stream());
    }

    /** The objects of the key: at most one that has not failed, which comes first. */
    private Stream<KeyLock> all(String key) {
        return Stream.concat(
                Stream.ofNullable(known(key)), failedKeys.stream().filter(failed -> failed.key.equals(key)));
    }

    /** Applies an event and executes its effects; counts as under way until done. */
    void run(KeyLock lock, BiConsumer<Effects, Moment> event) {
        call(lock, (todo, now) -> {
            event.accept(todo, now);
            return true;
        });
    }

    /** A failing event or step fails the key; the other steps are executed. */
    private <R> R call(KeyLock lock, BiFunction<Effects, Moment, R> event) {
        Effects todo = new Effects();
        calls.begin();
        try {
            return lock.apply(event, todo, now());
        } finally {
            execute(lock, todo);
        }
    }

    /** Applies an event of the timer; its effects follow the renewals of the tick. */
    void runInTick(KeyLock lock, BiConsumer<Effects, Moment> event) {
        Effects todo = new Effects();
        watchdog.addToTick(() -> execute(lock, todo)); // first: if this fails, nothing is decided yet
        calls.begin();
        lock.apply(
                (steps, now) -> {
                    event.accept(steps, now);
                    return true;
                },
                todo,
                now());
    }

    private void execute(KeyLock lock, Effects todo) {
        for (Runnable step = todo.poll(); step != null; step = todo.poll()) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                lock.fail(e);
                EngineLog.report("A step for a lock", e);
            }
        }
        held.completeIfNone();
        calls.end();
    }

    // Calls

    void join(Waiter waiter) {
        while (!call(waiter.lock, (todo, now) -> waiter.lock.join(todo, waiter, now))) {
            waiter.lock = keyLock(waiter.lock.key);
        }
    }

    CompletableFuture<ReleaseOutcome> exit(Entry entry) {
        KeyLock lock = entry.hold.lock;
        return call(lock, (todo, now) -> lock.held().exit(todo, entry, now));
    }

    Detachment detachment(Hold left, Duration lease) {
        LockToken token = tokens.detached(left.owner.label());
        return new Detachment(left, token, lease, tokens.highest(left.lock.key));
    }

    CompletableFuture<ReleaseOutcome> detach(Entry entry, Detachment detachment) {
        StackReserve.ensure();
        KeyLock lock = entry.hold.lock;
        return call(lock, (todo, now) -> lock.held().detach(todo, entry, detachment, now));
    }

    Optional<CompletableFuture<AcquireResult>> downgrade(Entry entry) {
        KeyLock lock = entry.hold.lock;
        return call(lock, (todo, now) -> lock.held().downgrade(entry));
    }

    // Commands

    void send(Attempt attempt) {
        Waiter waiter = attempt.waiter;
        KeyLock lock = waiter.lock;
        ResolvedRequest request = waiter.request;
        LockToken token = tokens.next(
                waiter.owner.label(),
                heartbeat.takeoverMillis(request.crashTakeover(), request.lease()),
                heartbeat.takeoverCondition());
        AcquireCommand command = new AcquireCommand(
                lock.key,
                token,
                request.lease(),
                Math.max(
                        tokens.highest(lock.key),
                        request.ticket().map(LockTicket::fencingToken).orElse(0L)),
                attempt.fencingTokens,
                attempt.waiting,
                request.minHold(),
                request.slots().count(),
                request.ticket().map(LockTicket::token),
                request.mode());
        attempt.grant = new Grant(
                token, attempt.sent.nanos(), attempt.fencingTokens, heartbeat.decides(token) ? heartbeat : null);
        calls.sendAcquire(command, attempt);
    }

    Optional<Waiting> waitingAt(long position) {
        return position == Waiting.NEW ? newWaiting : Optional.of(new Waiting(position, patience));
    }

    void answered(Attempt attempt, AcquireResult result) {
        KeyLock lock = attempt.waiter.lock;
        if (result instanceof AcquireResult.Granted granted) {
            tokens.granted(lock.key, granted.fencingToken() + attempt.fencingTokens - 1);
            if (!failedKeys.isEmpty() && known(lock.key) == lock) { // a failed object gives its grant back
                all(lock.key)
                        .filter(other -> other != lock)
                        .forEach(other -> run(other, (todo, now) -> other.held().supersede(todo, granted.slot(), now)));
            }
        }
        run(lock, (todo, now) -> lock.answered(todo, attempt, result, now));
        if (result instanceof AcquireResult.Recovering recovering) {
            events.publish(new LockEvent.Recovering(attempt.waiter.request.name(), lock.key, recovering.retryAfter()));
        }
    }

    /** Withdraws the registration, or forwards a signal for the slot. */
    void withdraw(
            String key,
            @Nullable LockToken registeredBy,
            int slot,
            long position,
            StoreCalls.Continuation<ReleaseResult> then) {
        LockToken token = registeredBy == null ? tokens.next() : registeredBy;
        calls.sendRelease(ReleaseCommand.endOfWait(key, token, slot, position), then);
    }

    void sendRenewals(List<RenewAttempt> renewals) {
        int sent = 0;
        try {
            long epoch = calls.outages.epoch();
            List<CompletionStage<RenewResult>> stages = calls.sendRenewals(
                    renewals.stream().map(RenewAttempt::command).toList());
            for (; sent < stages.size(); sent++) {
                RenewAttempt renewal = renewals.get(sent);
                calls.answer(stages.get(sent), renewal.hold().lock.key, epoch, renewal);
            }
        } catch (RuntimeException | Error e) { // e.g. out of memory
            EngineLog.report("Sending renewals", e);
            for (; sent < renewals.size(); sent++) {
                renewals.get(sent).process(RenewAttempt.UNSENT);
            }
        }
    }

    void renewed(RenewAttempt renewal, RenewResult result) {
        KeyLock lock = renewal.hold().lock;
        try {
            run(lock, (todo, now) -> lock.held().renewed(todo, renewal, result, now));
        } finally {
            if (renewal.answer() != null) {
                renewal.answer().complete(result);
            }
        }
    }

    /** Extends the lease if one is given, otherwise confirms the lock. */
    CompletableFuture<RenewResult> renewForOwner(Hold hold, Optional<Duration> lease) {
        StackReserve.ensure();
        CompletableFuture<RenewResult> answer = new CompletableFuture<>();
        run(hold.lock, (todo, now) -> hold.lock.held().renewForOwner(todo, hold, lease, answer, now));
        return answer;
    }

    // Held locks

    void holdAdded(Effects todo) {
        held.increment();
        if (!watchdog.isWatching()) {
            todo.add(watchdog::begin);
        }
    }

    void holdRemoved() {
        held.decrement();
    }

    int size() {
        return held.get();
    }

    Optional<HeldLock> find(String key) {
        Moment now = now();
        return all(key).flatMap(lock -> lock.held(now).stream()).findFirst();
    }

    /** The thread's hold, perhaps lost; null if none. */
    @Nullable
    Hold enteredBy(HoldOwner owner, String key) {
        KeyLock lock = known(key);
        Hold entered = lock == null ? null : lock.enteredBy(owner);
        return entered != null || failedKeys.isEmpty()
                ? entered
                : all(key).flatMap(each -> Stream.ofNullable(each.enteredBy(owner)))
                        .findFirst()
                        .orElse(null);
    }

    boolean isEnteredBy(HoldOwner owner, String key) {
        return enteredBy(owner, key) != null;
    }

    List<HeldLock> snapshot() {
        Moment now = now();
        return all().flatMap(lock -> lock.held(now).stream()).toList();
    }

    // Waiters, signals and the end of the run

    List<LockAdmin.WaitingCaller> waiters() {
        Moment now = now();
        return all().flatMap(lock -> lock.waiters(now).stream()).toList();
    }

    Map<String, List<String>> watchedByOwner() {
        Map<String, List<String>> watched = new HashMap<>();
        all().forEach(lock -> lock.watched().ifPresent(owner -> watched.computeIfAbsent(owner, any -> new ArrayList<>())
                .add(lock.key)));
        return watched;
    }

    void signal(String key, int slot) {
        KeyLock lock = keyLock(key);
        if (!call(lock, (todo, now) -> lock.signalled(slot))) { // retired: another object serves the key
            signal(key, slot);
        }
    }

    /** After possibly missed messages. */
    void signalAll() {
        forEach(lock -> {
            if (lock.hasWaiters()) {
                signal(lock.key, 0);
            }
            run(lock, (todo, now) -> lock.wanted(now));
        });
    }

    void wanted(String key) {
        KeyLock lock = known(key);
        if (lock != null) {
            run(lock, (todo, now) -> lock.wanted(now));
        }
    }

    void revoked(String key, String fingerprint) {
        all(key).forEach(lock -> run(lock, (todo, now) -> lock.revoked(todo, fingerprint, now)));
    }

    /** Empty if this instance does not hold it. */
    Optional<CompletableFuture<ReleaseResult>> revoke(String key, long fencingToken) {
        CompletableFuture<ReleaseResult> answer = new CompletableFuture<>();
        boolean found = all(key).anyMatch(
                        lock -> call(lock, (todo, now) -> lock.held().revoke(todo, fencingToken, answer, now)));
        return found ? Optional.of(answer) : Optional.empty();
    }

    /** A recovery proves that the store answers. */
    void storeEvent(StoreEvent event) {
        if (event instanceof StoreEvent.RecoveryStarted recovery) {
            calls.outages.answered(recovery.store());
            recoveries.recovers(recovery);
        } else {
            events.publish(event);
        }
    }

    /** Keys for one beat: one lock of each owner first, then random others, since a lock may have changed its owner. */
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
        return Stream.concat(first.stream(), others.stream()).limit(MAX_LOOKS).toList();
    }

    private void afterBeat(List<String> abandoned) {
        watchdog.afterBeat();
        if (!abandoned.isEmpty()) {
            EngineLog.guard("Waking the waiters of a crashed owner", this::signalAbandoned, abandoned);
        }
    }

    /** Tries these locks and others of the same owners. */
    private void signalAbandoned(List<String> keys) {
        Set<String> abandoned = Set.copyOf(keys);
        Set<String> free = new HashSet<>(abandoned);
        for (List<String> owned : watchedByOwner().values()) {
            if (owned.stream().anyMatch(abandoned::contains)) {
                owned.stream().limit(MAX_TRIES).forEach(free::add);
            }
        }
        free.forEach(key -> signal(key, 0));
    }

    /** Grants locks again after a drain that has left locks held. False if this run is over. */
    @SuppressWarnings("ReferenceEquality")
    boolean reopen() {
        if (refusal.get() == DRAINED) {
            refuseWaiters(DRAINED); // the drain may be under way: from here on, no lock is granted
            if (held.get() != 0) {
                refusal.compareAndSet(DRAINED, null);
            }
        }
        return refusal.get() == null;
    }

    void refuse() {
        refusal.compareAndSet(null, DRAINED);
        refuseWaiters(DRAINED);
    }

    private void refuseWaiters(WaitOutcome.Failed reason) {
        forEach(lock -> run(lock, (todo, now) -> lock.refuse(todo, reason)));
    }

    CompletableFuture<Void> drain() {
        refuse();
        return held.whenNone().thenCompose(any -> calls.whenIdle());
    }

    /** Looks at each owner once, and without a monitor: a stack trace takes long. */
    void loseLocksOfThreadsAwaitingShutdown(Thread closing) {
        Set<Thread> owners = new HashSet<>();
        forEach(lock -> run(lock, (todo, now) -> lock.held().addOwners(owners)));
        owners.removeIf(owner -> owner != closing && !isExiting(owner));
        if (!owners.isEmpty()) {
            shutDown(hold -> hold.isOwnedBy(owners::contains));
        }
    }

    private void shutDown(Predicate<Hold> which) {
        forEach(lock -> run(lock, (todo, now) -> lock.held().shutDown(todo, which, now)));
    }

    private static boolean isExiting(Thread thread) {
        return Stream.of(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals("java.lang.Shutdown"));
    }

    void leaveToLeases() {
        refuse();
        forEach(lock -> run(lock, (todo, now) -> lock.held().endRenewals()));
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
                .limit(MAX_NAMED)
                .map(lock -> "'" + LockRequest.printable(lock.key()) + "' (" + lock.owner() + ")")
                .collect(Collectors.joining(", "));
        return held.size() + " locks are held at the end of the shutdown and renewed no more. It waits until their"
                + " holders release them or their leases end, at most " + DurationText.of(longest) + ": " + names
                + (held.size() > MAX_NAMED ? " and more" : "");
    }

    void close() {
        BlockingWait.awaitUninterruptibly(beginClose(), StoreCalls.LAST_DEADLINE);
        events.close();
    }

    /** Idempotent. */
    CompletableFuture<Void> beginClose() {
        refusal.set(STOPPED);
        refuseWaiters(STOPPED);
        timer.close();
        shutDown(any -> true);
        unsettled.forEach(Runnable::run);
        return calls.whenIdle();
    }

    /** Sleep of a key's waiters until the next look; {@code permits} is their maximum. */
    long backoff(Waiter first, int permits, int round, Obstacle obstacle) {
        if (obstacle.isKept() && permits == 1) { // of several slots, others may not be kept
            return atMost(patience.minus(settings.maxRetryDelay()).toNanos(), obstacle.remaining());
        }
        double maxDelay = settings.maxRetryDelay().toNanos();
        double grown = maxDelay * FIRST_DELAY_SHARE * Math.pow(2, round);
        boolean watched = permits == 1 && obstacle.instance().isPresent() && heartbeat.detectsCrashes();
        double longest = maxDelay * (watched ? WATCHED_SLEEP_FACTOR : 1);
        long delay = (long) (Math.min(grown, longest) * (1 - JITTER * jitter.nextDouble()));
        Optional<Duration> lookAgain =
                watched && !heartbeat.hearsSignals() ? Optional.of(settings.maxRetryDelay()) : obstacle.lookAgain();
        return Math.min(
                Math.min(atMost(delay, obstacle.remaining()), atMost(delay, lookAgain)),
                atMost(delay, longestLook(permits, first.request.crashTakeover())));
    }

    /**
     * With several permits, each owner may crash or let its lease end. With one, the beat watches the owner and the
     * store reports the end of the lease.
     */
    private static Optional<Duration> longestLook(int permits, Duration takeover) {
        if (permits == 1) {
            return Optional.empty();
        }
        long look = takeover.toMillis() / LOOKS_PER_TAKEOVER + 2; // so that as many looks last longer than it
        return Optional.of(Duration.ofMillis(takeover.isZero() ? MAX_LOOK_MILLIS : Math.min(look, MAX_LOOK_MILLIS)));
    }

    private long atMost(long delay, Optional<Duration> limit) {
        // Compared first: a lock of another program may have a lease of centuries, which no long holds in nanoseconds.
        return limit.isEmpty() || limit.get().compareTo(Duration.ofNanos(delay)) >= 0
                ? delay
                : Math.min(delay, limit.get().toNanos() + spread());
    }

    private long spread() {
        return 1_000_000 + jitter.nextLong(SPREAD_NANOS);
    }
}
