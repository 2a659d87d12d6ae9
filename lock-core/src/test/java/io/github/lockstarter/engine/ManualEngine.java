package io.github.lockstarter.engine;

import io.github.lockstarter.LockListener;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.Steps.Step;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * An engine with one key in which everything is a step: no thread runs, the clock stands still, and each answer of the
 * store and each delivery to a caller is a separate step. Checks the invariants of {@link KeyLock} and {@link
 * HeldSlots} after each step. Fields that determine future steps are not transient.
 */
final class ManualEngine {

    static final String KEY = "order:42";
    static final EngineSettings SETTINGS = EngineSettings.DEFAULTS.withoutOwner();

    /** Of the monotonic clock: no other number is as large. */
    static final long BEGIN = 1L << 60;

    /** Of the wall clock. */
    static final long BEGIN_MILLIS = 1L << 40;

    private static final int MOST_STEPS_TO_REST = 200;

    final Running running;
    final ManualStore store = new ManualStore(this);
    final List<ManualCaller> callers = new ArrayList<>();
    final ManualTimer timer = new ManualTimer();
    private final BlockingQueue<Runnable> deliveries = new LinkedBlockingQueue<>();
    private final List<CompletableFuture<ReleaseResult>> revocations = new ArrayList<>();

    /** The rules that were broken until now. */
    final transient List<String> violations = new ArrayList<>();

    private final transient KeyLockInvariants invariants = new KeyLockInvariants(this);
    private final transient Consumer<KeyLock> beforeEachStep;
    private transient long passed;

    /** Of lock tokens. */
    private transient long numbers;

    ManualEngine(List<ManualCaller.Kind> kinds, Consumer<KeyLock> beforeEachStep) {
        this(kinds, beforeEachStep, List.of());
    }

    ManualEngine(List<ManualCaller.Kind> kinds, Consumer<KeyLock> beforeEachStep, List<LockListener> listeners) {
        this.beforeEachStep = beforeEachStep;
        EngineClock clock =
                new EngineClock(() -> BEGIN + passed, () -> Instant.ofEpochMilli(BEGIN_MILLIS + passed / 1_000_000));
        ThreadPoolExecutor threadless = new ThreadPoolExecutor(0, 1, 0, TimeUnit.SECONDS, deliveries, any -> null);
        EngineEnvironment environment = new EngineEnvironment(
                clock, any -> timer, () -> threadless, () -> threadless, () -> threadless, () -> 0, () -> 0);
        Outages outages = new Outages(store, StoreEvent.Scope.ALL, clock::nanos, event -> {});
        EngineTokens tokens = new EngineTokens(clock, SETTINGS, () -> numbers += 4);
        this.running = new Running(store, outages, SETTINGS, listeners, environment, tokens, null); // not used here
        kinds.forEach(kind -> callers.add(new ManualCaller(kind, callers.size(), this)));
    }

    Moment now() {
        return running.now();
    }

    void check(boolean kept, String rule) {
        if (!kept) {
            violations.add(rule);
        }
    }

    // Steps

    /** Checks the invariants before and after the step. */
    void takeAndCheck(Step step) {
        invariants.check(running.known(KEY));
        take(step);
        invariants.check(running.known(KEY));
    }

    void take(Step step) {
        KeyLock lock = running.known(KEY);
        if (lock != null) {
            beforeEachStep.accept(lock);
        }
        try {
            step.action().accept(this);
        } catch (RuntimeException | Error e) {
            violations.add(step + " failed: " + e);
        }
    }

    /** All that may happen next. */
    List<Step> steps() {
        Steps steps = stepsOf(callers.stream().filter(this::mayAct));
        steps.disturb("a signal", "comes", any -> any.store.signal(0));
        if (callers.stream().anyMatch(ManualCaller::asksForPermits)) {
            steps.disturb("a signal", "comes for the last slot", any -> any.store.signal(ManualStore.MOST_PERMITS - 1));
        }
        steps.disturb("another instance", "waits", any -> any.running.wanted(KEY));
        for (LockToken token : store.unreleased) {
            steps.disturb("another instance", "revokes", any -> any.running.revoked(KEY, token.fingerprint()));
        }
        steps.disturb("an operator", "revokes", ManualEngine::revoke);
        if (next() != ManualTimer.NEVER) {
            steps.disturb("time", "passes until a deadline", ManualEngine::passTime);
            steps.disturb("a lease", "passes unnoticed", any -> any.letPass(SETTINGS.lease()));
        }
        steps.disturb("the engine", "drains", any -> any.running.refuse());
        steps.disturb("the engine", "stops", any -> any.running.beginClose());
        return steps.all();
    }

    /** Callers of a kind are alike: the first of them joins first. */
    private boolean mayAct(ManualCaller caller) {
        return callers.stream()
                .takeWhile(each -> each != caller)
                .allMatch(each -> each.kind != caller.kind || each.hasJoined());
    }

    private Steps stepsOf(Stream<ManualCaller> acting) {
        Steps steps = new Steps();
        acting.forEach(caller -> caller.addSteps(steps));
        for (int i = 0; i < deliveries.size(); i++) {
            int number = i;
            steps.add("an outcome", "is delivered", any -> any.deliver(number));
        }
        store.addAnswers(steps);
        return steps;
    }

    private void deliver(int number) {
        Runnable delivery = List.copyOf(deliveries).get(number);
        deliveries.remove(delivery);
        delivery.run();
    }

    private void revoke() {
        running.find(KEY)
                .flatMap(held -> running.revoke(KEY, held.fencingToken()))
                .ifPresent(revocations::add);
    }

    private long next() {
        return callers.stream().mapToLong(ManualCaller::wakesAt).reduce(timer.next, Math::min);
    }

    void letPass(Duration time) {
        passed += time.toNanos();
    }

    private void passTime() {
        passed = Math.max(passed, next() - BEGIN);
        timer.tick(now().nanos());
    }

    // The end

    /** Takes regular steps, and lets time pass without them, until none is left. */
    List<Step> comeToRest() {
        List<Waiter> patient = KeyLockInvariants.line(running.known(KEY)).stream()
                .filter(each -> each.giveUpAt() - now().nanos() > ManualCaller.LONG.toNanos() / 2)
                .toList();
        List<Step> taken = new ArrayList<>();
        Optional<Step> next = towardsRest();
        while (next.isPresent() && violations.isEmpty() && taken.size() < MOST_STEPS_TO_REST) {
            taken.add(next.get());
            takeAndCheck(next.get());
            next = towardsRest();
        }
        if (violations.isEmpty()) {
            checkRest(patient);
        }
        return taken;
    }

    private Optional<Step> towardsRest() {
        Steps steps = stepsOf(callers.stream().filter(ManualCaller::hasJoined));
        if (next() != ManualTimer.NEVER) {
            steps.add("time", "passes until a deadline", ManualEngine::passTime);
        }
        return steps.all().stream().filter(step -> !step.isDisturbance()).findFirst();
    }

    private void checkRest(List<Waiter> patient) {
        check(callers.stream().allMatch(ManualCaller::isAtRest), "line 3: a caller without an outcome");
        boolean served = patient.stream().noneMatch(each -> each.decided instanceof WaitOutcome.Busy);
        check(served, "line 3: a waiter that never gets the lock");
        check(revocations.stream().allMatch(CompletableFuture::isDone), "line 3: an operator without an answer");
        check(store.unreleased.isEmpty(), "slots 3: a grant that is not released");
        check(
                store.unanswered.isEmpty() && running.size() == 0,
                "slots 3: a lock that is held, or a command without an answer");
        check(!store.isSignalled() || timer.closed, "line 3: a signal that is not passed on");
        check(running.known(KEY) == null || timer.closed, "line 5: an object without use");
    }
}
