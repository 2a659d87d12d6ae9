package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.Acquisitions.IfBusy;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.SignalListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Grants locks that are kept at a {@link LockBackend}: local queueing, reentrancy per thread, renewal, loss.
 * Thread-safe.
 *
 * <p>Runs from construction to {@link #stop()}, and again after {@link #start()}. {@link #runtime} is null while
 * stopped; it has one watchdog thread, however many locks are held, and threads for callbacks only while there are any.
 *
 * <p>There are two ways to end it. {@link #stop()} takes the locks away from their holders, for a caller that knows
 * that their work is over. {@link #drain()} grants no more and lets the work end; {@link #leaveToLeases()} follows it
 * where the application can wait no longer. No other instance gets a lock by the second way before its holder
 * releases it or its lease is over.
 */
public final class LockEngine implements LockSource, AutoCloseable {

    private final LockBackend backend;
    private final EngineSettings settings;
    private final List<LockListener> listeners;
    private final EngineEnvironment environment;
    private final EngineTokens tokens;
    private final Outages outages;
    private final AtomicReference<@Nullable Running> runtime = new AtomicReference<>();
    private final HeldLocks heldLocks = new LiveHeldLocks();

    /** Written by any thread: immutable, and an older one is as good. */
    private @Nullable ResolvedRequest latestTerms;

    /**
     * Creates the engine, registers its mailbox with the backend, and runs. The backend is not closed by it.
     *
     * @param backend where the locks are kept
     * @param settings what applies where a request is silent
     * @param listeners receivers of the events, called in this order
     * @param clock the clocks
     */
    public LockEngine(LockBackend backend, EngineSettings settings, List<LockListener> listeners, EngineClock clock) {
        this(backend, settings, listeners, EngineEnvironment.of(clock));
    }

    /**
     * The same, with threads and randomness of another origin.
     *
     * @param backend where the locks are kept
     * @param settings what applies where a request is silent
     * @param listeners receivers of the events, called in this order
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
        backend.listen(tokens.instanceId(), new Mailbox());
        start();
    }

    /**
     * Grants locks again after {@link #drain()} or {@link #stop()}. After {@link #beginStop()}, finishes the stop first,
     * and so may block. No effect while running.
     */
    public void start() {
        Running running = runtime.get();
        if (running != null && running.reopen()) {
            return;
        }
        if (running != null) {
            end(running);
        }
        Running started = new Running(backend, outages, settings, listeners, environment, tokens, heldLocks);
        if (runtime.compareAndSet(null, started)) {
            started.heartbeat.begin();
        }
    }

    /**
     * Stops granting, and fails the waiters with {@link LockBackendException}. Holders keep their locks, which are
     * renewed, and threads may enter again what they hold. Returns at once.
     *
     * @return completed when nothing is held any more and the backend has answered the releases, or when the engine is
     *     stopped already; not if {@link #start()}, {@link #stop()} or another drain comes first
     */
    public CompletableFuture<Void> drain() {
        return ask(Running::drain, CompletableFuture.completedFuture(null));
    }

    /**
     * Drains without renewing what is held, and stops then. Blocks until each holder has released its lock or its
     * lease is over, so the backend stays connected until no other instance can take a lock over from work that still
     * runs. An interrupt does not end it.
     */
    public void leaveToLeases() {
        ifRunning(Running::leaveToLeases);
        stop();
    }

    /**
     * Stops granting, fails the waiters with {@link LockBackendException}, signals their loss to the holders, and
     * releases what they held, whether or not their work is over. Returns when the backend has answered, or its command
     * timeout is over. Idempotent.
     */
    public void stop() {
        ifRunning(this::end);
    }

    private void end(Running ending) {
        if (runtime.compareAndSet(ending, null)) {
            ending.close();
        }
    }

    /**
     * Begins to {@link #stop()}, and does not wait for the answers of the backend. {@link #stop()} may follow, and ends
     * the threads of callbacks.
     *
     * @return completed when the backend has answered
     */
    public CompletableFuture<Void> beginStop() {
        return ask(Running::beginClose, CompletableFuture.completedFuture(null));
    }

    /**
     * Whether locks are granted.
     *
     * @return false after {@link #drain()} or {@link #stop()}
     */
    public boolean isRunning() {
        return ask(running -> running.closed == null, false);
    }

    /** {@link #stop()}. */
    @Override
    public void close() {
        stop();
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        return acquire(request, latest(terms(request)), IfBusy.THROW).orElseThrow();
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        ResolvedRequest terms = terms(request);
        ResolvedRequest once = request.maxWait().isPresent() ? terms : terms.waitingUpTo(Duration.ZERO);
        return acquire(request, latest(once), IfBusy.RETURN_EMPTY).map(LockHandle.class::cast);
    }

    private Optional<? extends LockHandle> acquire(LockRequest request, ResolvedRequest terms, IfBusy ifBusy) {
        Running running = runtime.get();
        if (running == null) {
            throw stopped(request);
        }
        return running.acquisitions.acquire(request.keys(), terms, HoldOwner.of(request, terms), ifBusy);
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        ResolvedRequest terms = latest(terms(request));
        Running running = runtime.get();
        if (running == null) {
            return CompletableFuture.failedFuture(stopped(request));
        }
        CompletableFuture<LockHandle> result = new CompletableFuture<>();
        running.acquisitions.acquireAsync(request.keys(), terms, result);
        return result;
    }

    private ResolvedRequest terms(LockRequest request) {
        ResolvedRequest terms = ResolvedRequest.of(request, settings);
        if (terms.permits() > 1 && !backend.capabilities().permits()) {
            throw Messages.onePermitOnly(request.keys().get(0), terms.permits());
        }
        return terms;
    }

    /** The terms of the request before, if they are the same: all of a thousand locks of one kind refer to them. */
    private ResolvedRequest latest(ResolvedRequest terms) {
        ResolvedRequest before = latestTerms;
        if (before != null && before.equals(terms)) {
            return before;
        }
        latestTerms = terms;
        return terms;
    }

    private static LockBackendException stopped(LockRequest request) {
        return Messages.shutDown(String.join(", ", request.keys()));
    }

    @Override
    public HeldLocks heldLocks() {
        return heldLocks;
    }

    /**
     * What an operator sees and does.
     *
     * @return a view of this engine, also while it is stopped
     */
    public LockAdmin admin() {
        return new Admin();
    }

    /**
     * Whether the locks of a crashed instance are taken over, as configured, and as far as the store is known. Asks
     * nothing.
     *
     * @return the answer; also that they are not while the engine is stopped
     */
    public CrashTakeOver crashTakeOver() {
        return ask(running -> running.heartbeat.supported(), CrashTakeOver.off("The lock client is stopped"));
    }

    private <R> R ask(Function<Running, R> question, R ifStopped) {
        Running running = runtime.get();
        return running == null ? ifStopped : question.apply(running);
    }

    private void ifRunning(Consumer<Running> action) {
        Running running = runtime.get();
        if (running != null) {
            action.accept(running);
        }
    }

    /** What the engine holds while it runs. */
    private final class LiveHeldLocks implements HeldLocks {

        @Override
        public int size() {
            return ask(Running::size, 0);
        }

        @Override
        public Optional<HeldLock> find(String key) {
            return ask(running -> running.find(key), Optional.empty());
        }

        @Override
        public List<HeldLock> snapshot() {
            return ask(Running::snapshot, List.of());
        }
    }

    /** The operator's side, also of a stopped engine. */
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
        public List<Waiter> waiters() {
            return ask(running -> List.copyOf(running.waiters()), List.of());
        }

        @Override
        public CompletableFuture<StoredLock> inspect(String key, int slot) {
            return askStore(
                    () -> backend.inspect(key, slot), StoredLock.Unknown::new, found -> outages.told(key, found));
        }

        /** {@inheritDoc} The engine releases what it holds by its lock token; else, it asks the store. */
        @Override
        public CompletableFuture<Revocation> revoke(String key, int slot, long fencingToken) {
            return LockEngine.this
                    .<Optional<CompletableFuture<ReleaseResult>>>ask(
                            running -> running.revoke(key, fencingToken), Optional.empty())
                    .map(released -> released.thenApply(Admin::revoked))
                    .orElseGet(() -> askStore(
                            () -> backend.revoke(key, slot, fencingToken),
                            Revocation.Unknown::new,
                            revocation -> outages.told(key, revocation)));
        }

        /** If the store does not know the token any more, it has let the hold go before. */
        private static Revocation revoked(ReleaseResult released) {
            return released instanceof ReleaseResult.Unknown unknown
                    ? new Revocation.Unknown(
                            "The holder, in this instance, has lost it; it is unknown whether the lock is free, and"
                                    + " the release is repeated: " + unknown.reason())
                    : new Revocation.Revoked();
        }

        @Override
        public CompletableFuture<StoreState> storeState() {
            return askStore(
                            backend::state,
                            failure -> new StoreState("the lock store", Optional.of(failure)),
                            outages::answered)
                    .thenApply(state -> ask(running -> state.with(running.heartbeat.takeOver()), state));
        }

        private static <R> CompletableFuture<R> askStore(
                Supplier<CompletionStage<R>> question, Function<String, R> failed, Consumer<R> answered) {
            return BackendGuard.stageOf(question)
                    .handle((result, failure) -> {
                        R told = BackendGuard.resultOf(
                                result, failure, e -> failed.apply("The lock backend failed unexpectedly: " + e));
                        EngineLog.guard("Noticing an answer of the lock backend", answered, told);
                        return told;
                    })
                    .toCompletableFuture();
        }
    }

    /** Signals of other owners. */
    private final class Mailbox implements SignalListener {

        @Override
        public void onSignal(String key, int slot) {
            Running running = runtime.get();
            if (running != null) {
                running.signal(key, slot);
            } else {
                backend.release(ReleaseCommand.endOfWait(key, tokens.next(), slot)); // stopped: passes the signal on
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
