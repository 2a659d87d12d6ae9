package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.Acquisitions.IfBusy;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.StoreCapabilities;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Grants locks of a {@link LockBackend}: queues, re-enters, renews and reports losses. Thread-safe.
 *
 * <p>Runs from construction to {@link #stop()}, and again after {@link #start()}. Each run has an instance id of its
 * own, so copies of a stopped engine (a checkpoint that is restored several times) become different instances when they
 * start. A run has one watchdog thread, and further threads only while there are callbacks.
 */
public final class LockEngine implements LockSource, AutoCloseable {

    private final LockBackend backend;
    private final EngineSettings settings;
    private final List<LockListener> listeners;
    private final EngineEnvironment environment;
    private final Outages outages;
    private final SignalListener mailbox = new SignalReceiver();

    /** Of the current run. */
    private final AtomicReference<@Nullable Acquisitions> current = new AtomicReference<>();

    private final HeldLocks heldLocks = new LiveHeldLocks();

    /** Of the latest run. */
    private volatile EngineTokens tokens;

    /** Immutable, so a racy write is harmless. */
    private @Nullable ResolvedRequest latestRequest;

    /**
     * Creates, registers with the backend, and starts. The backend stays the caller's to close.
     *
     * @param backend store of the locks
     * @param settings defaults of requests
     * @param listeners called in this order
     * @param clock clocks
     */
    public LockEngine(LockBackend backend, EngineSettings settings, List<LockListener> listeners, EngineClock clock) {
        this(backend, settings, listeners, EngineEnvironment.of(clock));
    }

    /**
     * Creates the engine with other threads and randomness.
     *
     * @param backend store of the locks
     * @param settings defaults of requests
     * @param listeners called in this order
     * @param environment time, threads and randomness
     */
    public LockEngine(
            LockBackend backend, EngineSettings settings, List<LockListener> listeners, EngineEnvironment environment) {
        this.backend = backend;
        this.settings = settings;
        this.listeners = List.copyOf(listeners);
        this.environment = environment;
        this.tokens = new EngineTokens(environment.clock(), settings, environment.identity());
        this.outages = new Outages(
                backend,
                StoreEvent.Scope.ALL,
                environment.clock()::nanos,
                event -> EventDispatcher.callEach(this.listeners, each -> each.onStoreEvent(event)));
        begin(tokens);
    }

    /**
     * Grants locks again after {@link #drain()} or {@link #stop()}, with a new instance id and mailbox; after a drain
     * that has left locks held, with the old ones, which these locks name. Before it begins with a new id, finishes the
     * drain or {@link #beginStop()}, and so may block for as long as {@link #stop()}. No effect while running.
     */
    public void start() {
        Acquisitions ending = current.get();
        if (ending != null && ending.running.reopen()) {
            return;
        }
        if (ending != null) {
            end(ending);
        }
        begin(tokens.ofNewInstance());
    }

    private void begin(EngineTokens ofRun) {
        Running started = new Running(backend, outages, settings, listeners, environment, ofRun, heldLocks);
        if (current.compareAndSet(null, new Acquisitions(started))) {
            tokens = ofRun;
            backend.listen(ofRun.instanceId(), mailbox);
            started.heartbeat.begin();
        }
    }

    /**
     * Stops granting and fails the waiters with {@link LockBackendException}. Holders keep their locks, which are still
     * renewed, and can re-enter. Returns at once.
     *
     * @return completed when no lock is held and the backend has answered the releases, or at once if stopped; perhaps
     *     never if {@link #start()} or {@link #stop()} comes first
     */
    public CompletableFuture<Void> drain() {
        return forCallers(query(Running::drain, CompletableFuture.completedFuture(null)));
    }

    /**
     * Reports the loss of the locks of threads for which {@link #drain()} would wait although they wait for it, and
     * releases them: those of the calling thread, and of threads that are in {@link System#exit}. No effect on locks
     * that a handle owns, or another thread reads, too.
     */
    public void loseLocksOfThreadsAwaitingShutdown() {
        ifRunning(running -> running.loseLocksOfThreadsAwaitingShutdown(Thread.currentThread()));
    }

    /**
     * Drains without renewing, then stops: where the application cannot wait longer for {@link #drain()}. Blocks until
     * each lock is released or its lease is over; the backend stays connected meanwhile, so no other instance takes
     * over a lock whose work still runs. Ignores interrupts.
     */
    public void leaveToLeases() {
        ifRunning(Running::leaveToLeases);
        stop();
    }

    /**
     * Stops granting, fails the waiters with {@link LockBackendException}, reports the loss to the holders and releases
     * their locks, even if their work continues. Returns when the backend has answered, after 65 s at the latest.
     * Idempotent.
     */
    public void stop() {
        Acquisitions ending = current.get();
        if (ending != null) {
            end(ending);
        }
    }

    private void end(Acquisitions ending) {
        if (current.compareAndSet(ending, null)) {
            ending.running.close();
        }
    }

    /**
     * Begins to {@link #stop()} without waiting for the backend; {@link #stop()} then ends the callback threads.
     *
     * @return completed when the backend has answered
     */
    public CompletableFuture<Void> beginStop() {
        return forCallers(query(Running::beginClose, CompletableFuture.completedFuture(null)));
    }

    /**
     * Whether locks are granted.
     *
     * @return false after {@link #drain()} or {@link #stop()}
     */
    public boolean isRunning() {
        return query(running -> running.refusal.get() == null, false);
    }

    @Override
    public void close() {
        stop();
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        return acquireResolved(request, reuse(resolve(request)), IfBusy.THROW).orElseThrow();
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        ResolvedRequest resolved = resolve(request);
        ResolvedRequest once = request.terms().maxWait().isPresent() ? resolved : resolved.maxWait(Duration.ZERO);
        return Handle.upcast(acquireResolved(request, reuse(once), IfBusy.RETURN_EMPTY));
    }

    private Optional<? extends LockHandle> acquireResolved(
            LockRequest request, ResolvedRequest resolved, IfBusy ifBusy) {
        Acquisitions acquisitions = current.get();
        if (acquisitions == null) {
            throw stopped(request);
        }
        return acquisitions.acquireAll(request.keys(), resolved, HoldOwner.of(request, resolved), ifBusy);
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        ResolvedRequest resolved = reuse(resolve(request));
        Acquisitions acquisitions = current.get();
        if (acquisitions == null) {
            return CompletableFuture.failedFuture(stopped(request));
        }
        CompletableFuture<LockHandle> result = new CompletableFuture<>();
        acquisitions.acquireAsync(request.keys(), resolved, result);
        return result;
    }

    private ResolvedRequest resolve(LockRequest request) {
        ResolvedRequest resolved = ResolvedRequest.of(request, settings);
        StoreCapabilities store = backend.capabilities();
        if (resolved.permits() > 1 && !store.permits()) {
            throw Messages.onePermitOnly(request.keys().get(0), resolved.permits());
        }
        if (resolved.reads() && !store.readers()) {
            throw Messages.noReaders(request.keys().get(0));
        }
        Messages.checkKept(request.keys().get(0), resolved.minHold(), store);
        if (resolved.ticket().isPresent()) {
            Messages.checkTicket(request.keys().get(0), resolved, false, store);
        }
        return resolved;
    }

    /** Shares equal consecutive requests between locks, to save memory. */
    private ResolvedRequest reuse(ResolvedRequest resolved) {
        ResolvedRequest before = latestRequest;
        if (before != null && before.equals(resolved)) {
            return before;
        }
        latestRequest = resolved;
        return resolved;
    }

    private static LockBackendException stopped(LockRequest request) {
        return Messages.shutDown(String.join(", ", request.keys()));
    }

    @Override
    public HeldLocks heldLocks() {
        return heldLocks;
    }

    /**
     * The view for operators.
     *
     * @return valid even while the engine is stopped
     */
    public LockAdmin admin() {
        return new Admin();
    }

    /**
     * Whether locks of a crashed instance are taken over, by configuration and store. Sends nothing.
     *
     * @return off while the engine is stopped
     */
    public CrashTakeover crashTakeover() {
        return query(running -> running.heartbeat.supported(), CrashTakeover.off("The lock client is stopped"));
    }

    /** Dependent stages of the application run on threads that may block. */
    private <R> CompletableFuture<R> forCallers(CompletableFuture<R> future) {
        return query(running -> running.events.completedForCallers(future), future);
    }

    private <R> R query(Function<Running, R> question, R ifStopped) {
        Acquisitions ofRun = current.get();
        return ofRun == null ? ifStopped : question.apply(ofRun.running);
    }

    private void ifRunning(Consumer<Running> action) {
        Acquisitions ofRun = current.get();
        if (ofRun != null) {
            action.accept(ofRun.running);
        }
    }

    private final class LiveHeldLocks implements HeldLocks {

        @Override
        public int size() {
            return query(Running::size, 0);
        }

        @Override
        public Optional<HeldLock> find(String key) {
            return query(running -> running.find(key), Optional.empty());
        }

        @Override
        public List<HeldLock> snapshot() {
            return query(Running::snapshot, List.of());
        }

        @Override
        public boolean isOwnedByThisThread(String key) {
            return query(running -> running.isEnteredBy(HoldOwner.currentThread(), key), false);
        }
    }

    private final class Admin implements LockAdmin {

        @Override
        public String instance() {
            return LockToken.shortened(tokens.instanceId());
        }

        @Override
        public HeldLocks heldLocks() {
            return heldLocks;
        }

        @Override
        public List<WaitingCaller> waiters() {
            return query(Running::waiters, List.of());
        }

        @Override
        public CompletableFuture<StoredLock> inspect(String key, int slot) {
            return queryStore(
                    () -> backend.inspect(key, slot), StoredLock.Unknown::new, found -> outages.told(key, found));
        }

        /** Releases its own hold by lock token; otherwise queries the store. */
        @Override
        public CompletableFuture<Revocation> revoke(String key, int slot, long fencingToken) {
            return LockEngine.this
                    .<Optional<CompletableFuture<ReleaseResult>>>query(
                            running -> running.revoke(key, fencingToken), Optional.empty())
                    .map(released -> forCallers(released).thenApply(Admin::revoked))
                    .orElseGet(() -> queryStore(
                            () -> backend.revoke(key, slot, fencingToken),
                            Revocation.Unknown::new,
                            revocation -> outages.told(key, revocation)));
        }

        /** A token unknown to the store counts as revoked: the lock was already gone. */
        private static Revocation revoked(ReleaseResult released) {
            return released instanceof ReleaseResult.Unknown unknown
                    ? new Revocation.Unknown(
                            "The holder, in this instance, has lost it; it is unknown whether the lock is free, and"
                                    + " the release is repeated: " + unknown.reason())
                    : new Revocation.Revoked();
        }

        @Override
        public CompletableFuture<StoreState> storeState() {
            return queryStore(
                            backend::state,
                            failure -> new StoreState("the lock store", Optional.of(failure)),
                            outages::answered)
                    .thenApply(state -> query(running -> state.with(running.heartbeat.takeover()), state));
        }

        @Override
        public CompletableFuture<Map<String, String>> storeDiagnosis() {
            return queryStore(backend::diagnosis, failure -> Map.of("failure", failure), facts -> {});
        }

        private <R> CompletableFuture<R> queryStore(
                Supplier<CompletionStage<R>> question, Function<String, R> failed, Consumer<R> answered) {
            return forCallers(BackendGuard.stageOf(question)
                    .handle((result, failure) -> {
                        R answer = BackendGuard.resultOf(
                                result, failure, e -> failed.apply("The lock backend failed unexpectedly: " + e));
                        EngineLog.guard("Noticing an answer of the lock backend", answered, answer);
                        return answer;
                    })
                    .toCompletableFuture());
        }
    }

    private final class SignalReceiver implements SignalListener {

        @Override
        public void onSignal(String key, int slot) {
            Acquisitions ofRun = current.get();
            if (ofRun != null) {
                ofRun.running.signal(key, slot);
            } else {
                backend.releaseToken(
                        ReleaseCommand.endOfWait(key, tokens.next(), slot, Waiting.NEW)); // stopped: forward the signal
            }
        }

        @Override
        public void onWanted(String key) {
            ifRunning(running -> running.wanted(key));
        }

        @Override
        public void onRevoked(String key, String fingerprint) {
            ifRunning(running -> running.revoked(key, fingerprint));
        }

        @Override
        public void onMailboxOpened() {
            ifRunning(running -> running.heartbeat.begin());
        }

        @Override
        public void onMailboxRestored() {
            ifRunning(Running::signalAll);
        }

        @Override
        public void onStoreEvent(StoreEvent event) {
            ifRunning(running -> running.storeEvent(event));
        }
    }
}
