package io.github.lockstarter.faults.worker;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.engine.EngineEnvironment;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** This starter's engine. Holds are known by key and fencing token, as the events of the engine name them. */
final class EngineSubject implements Subject {

    private static final Duration MAX_RETRY_DELAY = Duration.ofMillis(500);
    private static final Duration UNTIL_THREADS_END = Duration.ofSeconds(30);

    private final Journal journal;
    private final JournalingBackend backend;
    private final LockEngine engine;
    private final Duration longestLease;
    private final Map<String, String> paths = new ConcurrentHashMap<>();

    EngineSubject(WorkerOptions options, Journal journal) {
        this.journal = journal;
        this.longestLease = options.subject().longestLease();
        this.backend = new JournalingBackend(connect(options), options.address().kind(), journal);
        this.engine = new LockEngine(
                engineSide(options), settings(options.subject()), List.of(new Listener()), environment(options));
        engine.drain().join(); // a checkpoint is taken
        engine.start(); // and restored, as in Spring
    }

    private static EngineEnvironment environment(WorkerOptions options) {
        EngineEnvironment usual = EngineEnvironment.of(EngineClock.SYSTEM);
        return new EngineEnvironment(
                usual.clock(),
                usual.newTimer(),
                usual.newLossExecutor(),
                usual.newCallbackExecutor(),
                usual.newCompletionExecutor(),
                new CheckpointedRandom(options),
                usual.jitter());
    }

    private static LockBackend connect(WorkerOptions options) {
        LockBackend backend = Backends.connect(options.address(), options.subject());
        return options.subject().has(WorkerOptions.Guard.RENEWAL) ? backend : new CredulousBackend(backend);
    }

    private LockBackend engineSide(WorkerOptions options) {
        return options.subject().has(WorkerOptions.Guard.TAKEOVER_TIME) ? backend : new HastyBackend(backend);
    }

    @Override
    public void describeStore() {
        backend.describeStore(longestLease);
        Deed.describePermits(journal);
    }

    @Override
    public boolean hasPermits() {
        return backend.capabilities().permits();
    }

    @Override
    public boolean hasReaders() {
        return backend.capabilities().readers();
    }

    private static EngineSettings settings(WorkerOptions.Setup setup) {
        return new EngineSettings(
                LockTerms.NONE
                        .lease(setup.lease())
                        .maxWait(Duration.ofSeconds(2))
                        .crashTakeover(setup.takeover()),
                setup.longestLease(),
                MAX_RETRY_DELAY,
                setup.has(WorkerOptions.Guard.HAND_OVER_BOUND)
                        ? EngineSettings.Handover.DEFAULTS
                        : new EngineSettings.Handover(64, Duration.ofMinutes(1)),
                setup.has(WorkerOptions.Guard.RANDOM_TOKENS)
                        ? EngineSettings.DEFAULTS.shownPlace()
                        : Optional.empty(), // owner and time make tokens differ too
                EngineSettings.DEFAULTS.warnAfter(),
                Map.of());
    }

    @Override
    public Optional<Held> acquire(LockRequest request) {
        return engine.tryAcquire(request).map(EngineHeld::new);
    }

    @Override
    public CompletableFuture<Held> acquireAsync(LockRequest request) {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(request);
        CompletableFuture<Held> result = acquiring.thenApply(EngineHeld::new);
        result.whenComplete((handle, failure) -> {
            if (failure != null && !acquiring.cancel(false)) {
                acquiring.thenAccept(LockHandle::release); // arrived while the caller gave up
            }
        });
        return result;
    }

    @Override
    public boolean signalsLoss() {
        return true;
    }

    @Override
    public void close() {
        int stillHeld = engine.heldLocks().size();
        if (stillHeld > 0) {
            journal.anomaly("I8", "", 0, stillHeld + " holds are left though all were released");
        }
        engine.close();
        backend.close();
        long start = System.nanoTime();
        while (!ownThreads().isEmpty() && System.nanoTime() - start < UNTIL_THREADS_END.toNanos()) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
        if (!ownThreads().isEmpty()) {
            journal.anomaly("I8", "", 0, "threads are left: " + ownThreads());
        }
    }

    /** The threads for callbacks end after 10 s without work. */
    private static List<String> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("lock-watchdog") || name.startsWith("lock-redis"))
                .toList();
    }

    private static String id(String key, long token) {
        return key + '#' + token;
    }

    /** Events of the engine. */
    private final class Listener implements LockListener {

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Acquired acquired) {
                paths.put(
                        id(acquired.key(), acquired.fencingToken()),
                        acquired.path().name());
            } else if (event instanceof LockEvent.Renewed renewed) {
                renewed(renewed);
            } else if (event instanceof LockEvent.Lost lost) {
                journal.write(journal.event(EventKind.LOSS_REPORTED)
                        .of(backend.slotOf(lost.key(), lost.fencingToken()), lost.fencingToken())
                        .noting(lost.cause().name()));
            } else if (event instanceof LockEvent.InDoubt doubt) {
                journal.write(journal.event(EventKind.IN_DOUBT)
                        .of(backend.slotOf(doubt.key(), doubt.fencingToken()), doubt.fencingToken()));
            } else if (event instanceof LockEvent.Confirmed confirmed) {
                journal.write(journal.event(EventKind.CONFIRMED)
                        .of(backend.slotOf(confirmed.key(), confirmed.fencingToken()), confirmed.fencingToken())
                        .counting(confirmed.inDoubtFor().toNanos()));
            }
        }

        private void renewed(LockEvent.Renewed event) {
            if (event.outcome() == LockEvent.RenewalOutcome.RENEWED) {
                long now = System.nanoTime();
                engine.heldLocks().snapshot().stream()
                        .filter(each -> each.key().equals(event.key()) && each.fencingToken() == event.fencingToken())
                        .forEach(each -> journal.write(journal.event(EventKind.EXTENDED)
                                .of(LabEvent.slotOf(each.key(), each.slot()), each.fencingToken())
                                .at(now)
                                .between(0, now + each.remainingLease().toNanos())));
            }
        }
    }

    /** One handle. */
    private final class EngineHeld implements Held {

        private final LockHandle handle;
        private final String id;
        private boolean downgraded;

        EngineHeld(LockHandle handle) {
            this.handle = handle;
            this.id = id(handle.key(), handle.fencingToken());
        }

        @Override
        public long fencingToken() {
            return handle.fencingToken();
        }

        @Override
        public int slot() {
            return handle.slot();
        }

        @Override
        public Duration remainingLease() {
            return handle.remainingLease();
        }

        @Override
        public boolean isHeld() {
            return handle.isHeld();
        }

        @Override
        public void ensureHeld() {
            handle.ensureHeld();
        }

        @Override
        public String path() {
            if (downgraded) {
                return "DOWNGRADED";
            }
            boolean reads = LabEvent.isRead(LabEvent.slotOf(handle.key(), handle.slot()));
            String path = reads ? paths.replace(id, "JOINED") : paths.get(id); // the first reader asks first
            return path == null ? "NESTED" : path;
        }

        @Override
        public void onLost(Runnable callback) {
            handle.onLost(callback);
        }

        @Override
        public void extend(Duration lease) {
            handle.extend(LockRequest.of(handle.key()).lease(lease));
        }

        @Override
        public void downgrade() {
            paths.replace(id, "JOINED"); // of those who follow
            handle.downgrade();
            downgraded = true;
        }

        @Override
        public String release() {
            String outcome = handle.release().name();
            if (!outcome.equals("STILL_HELD")) {
                paths.remove(id);
            }
            return outcome;
        }
    }
}
