package io.github.lockstarter.engine;

import io.github.lockstarter.LockAdmin.Waiter;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * An engine between start and stop: its parts, and the way of one acquisition through them. Thread-safe; without state
 * of its own.
 */
final class EngineRuntime implements WaiterNotifications {

    /** Beyond the longest command timeout that can be configured. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(65);

    private final EngineContext context;
    private final LossDetector lossDetector;
    private final Releases releases;
    private final Watchdog watchdog;
    private final Exits exits;
    private final Acquirer acquirer;
    private final RecoveryEvents recoveries;
    final UnfinishedOperations unfinishedOperations;

    EngineRuntime(
            LockBackend backend,
            EngineSettings settings,
            List<LockListener> listeners,
            EngineClock clock,
            LockTokenFactory tokens) {
        BackendCalls calls = new BackendCalls(backend);
        EventDispatcher events = new EventDispatcher(listeners);
        TimerWheel timer = new TimerWheel(clock);
        this.context = new EngineContext(calls, settings, clock, events, timer, tokens, new Holds(), new RecentRevocations());
        this.lossDetector = new LossDetector(context, this);
        PendingReleases pendingReleases = new PendingReleases(calls, clock, context.timer(), PendingReleases.MOST_REMEMBERED);
        WaitWithdrawer withdrawer = new WaitWithdrawer(context, pendingReleases);
        Waiters waiters = new Waiters(queues(context), this, withdrawer);
        this.releases = new Releases(context, lossDetector, pendingReleases, waiters);
        this.watchdog = new Watchdog(context, lossDetector, releases);
        this.exits = new Exits(context, lossDetector, releases, new HandOver(context, waiters, watchdog, releases));
        this.acquirer = new Acquirer(context, waiters, exits, watchdog);
        this.recoveries = new RecoveryEvents(clock, events, timer);
        this.unfinishedOperations = new UnfinishedOperations(context.holds(), exits, this::abandon);
        context.timer().afterEachTick(this::tick);
        watchdog.ifUnreachable(new AbandonedHoldHandler(context.events(), exits)::found);
    }

    private void tick() {
        try {
            watchdog.renewDue();
        } finally {
            unfinishedOperations.run();
        }
    }

    private static KeyQueues queues(EngineContext context) {
        return new KeyQueues(new KeyQueue.Collaborators(
                key -> context.holds().here(key).flatMap(Hold::obstacle),
                context.tokens()::next,
                context.settings().handOver().isOn() ? FencingBlock::new : FencingBlock::single,
                new Backoff(context.settings().retry()),
                context.timer()));
    }

    LossDetector lossDetector() {
        return lossDetector;
    }

    Exits exits() {
        return exits;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    EventDispatcher events() {
        return context.events();
    }

    Holds holds() {
        return context.holds();
    }

    void signal(String key) {
        acquirer.signal(key);
    }

    @Override
    public void freed(String key) {
        acquirer.freed(key);
    }

    @Override
    public void requeued(String key, Duration lease) {
        acquirer.requeued(key, lease);
    }

    @Override
    public void requeuedUnknown(String key) {
        acquirer.requeuedUnknown(key);
    }

    @Override
    public void wanted(String key) {
        acquirer.wanted(key);
    }

    void signalAll() {
        acquirer.signalAll();
    }

    void checkLease(String key, Duration lease) {
        String subject = "Lease of lock '" + LockRequest.printable(key) + "'";
        RangeChecks.within(subject, lease, RangeChecks.SHORTEST_LEASE, RangeChecks.LONGEST);
        RangeChecks.atMostMaxLease(subject, lease, context.settings().maxLease());
    }

    /** Blocks the calling thread, which is the owner, or acquires for the handle. */
    Attained acquire(String key, ResolvedRequest terms, HoldOwner owner) {
        Optional<HoldHandle> nested = owner.isThread() ? reenter(owner, key) : Optional.empty();
        if (nested.isPresent()) {
            return new Attained.Handle(nested.get());
        }
        if (Thread.currentThread().isInterrupted()) {
            throw EngineExceptions.interrupted(key, new InterruptedException());
        }
        StackReserve.ensure();
        Acquisition acquisition = acquirer.prepare(key, terms, owner);
        try {
            acquirer.begin(acquisition);
            return conclude(acquisition, await(acquisition));
        } catch (VirtualMachineError e) {
            acquisition.forsaken = true;
            unfinishedOperations.wanted = true;
            throw e;
        } catch (RuntimeException | Error e) {
            abandon(acquisition);
            throw e;
        }
    }

    /** The caller does not take what it was, or may be, granted. Without effect on what it has taken, or given back. */
    private void abandon(Acquisition acquisition) {
        acquirer.abandon(acquisition);
        acquisition.hold().filter(hold -> hold.giveBack(acquisition)).ifPresent(exits::exit);
    }

    /** A nested hold of the current thread, if it has the key. A loss is told once; after that the thread has nothing. */
    private Optional<HoldHandle> reenter(HoldOwner owner, String key) {
        Optional<Hold> outer = holds().of(owner, key);
        if (outer.isEmpty()) {
            return Optional.empty();
        }
        Hold hold = outer.get();
        lossDetector.checkHeld(hold);
        // Made first: behind the entry is no call that could fail, but for the returns.
        Optional<HoldHandle> handle = Optional.of(hold.nested(this));
        if (hold.lifecycle.enter()) {
            return handle;
        }
        if (hold.lifecycle.isLost()) {
            holds().remove(hold);
            throw EngineExceptions.lost(hold);
        }
        return Optional.empty(); // it is being released
    }

    private AcquireOutcome await(Acquisition acquisition) {
        try {
            return BlockingWait.await(acquisition.outcome);
        } catch (InterruptedException e) {
            acquirer.abandon(acquisition);
            BlockingWait.awaitUninterruptibly(acquisition.outcome);
            abandon(acquisition);
            report(acquisition, Refusal.INTERRUPTED);
            Thread.currentThread().interrupt();
            throw EngineExceptions.interrupted(acquisition.key, e);
        }
    }

    private Attained conclude(Acquisition acquisition, AcquireOutcome outcome) {
        if (outcome instanceof AcquireOutcome.Got got) {
            return take(acquisition, got.hold());
        }
        if (outcome instanceof AcquireOutcome.Busy busy) {
            report(acquisition, Refusal.CONTENDED);
            return new Attained.Nothing(acquisition, busy.obstacle());
        }
        if (outcome instanceof AcquireOutcome.Recovering recovering) {
            report(acquisition, Refusal.RECOVERING);
            throw EngineExceptions.recovering(acquisition, recovering.answer());
        }
        if (outcome instanceof AcquireOutcome.Failed failure) {
            report(acquisition, Refusal.ERROR);
            throw EngineExceptions.failed(acquisition.key, failure);
        }
        report(acquisition, Refusal.INTERRUPTED);
        throw new CancellationException(
                "The wait for lock '" + LockRequest.printable(acquisition.key) + "' was cancelled");
    }

    /**
     * Hands the hold to its owner, unless it is lost before the owner could do anything with it. Listeners are told of it
     * first, so that they hear of every loss of what they know.
     */
    private Attained take(Acquisition acquisition, Hold hold) {
        HoldHandle handle = new HoldHandle(hold, this, null);
        acquisition.handle = handle;
        Attained attained = new Attained.Handle(handle);
        hold.announced = true;
        holds().announced(hold);
        events().acquired(new LockEvent.Acquired(
                hold.terms.name(),
                hold.key,
                hold.fencingToken,
                acquisition.waited(context.clock().nanos()),
                acquisition.attempts,
                path(acquisition, hold)));
        if (!lossDetector.checkHeld(hold)) {
            lossDetector.report(hold, hold.lossCause());
            throw EngineExceptions.lost(hold);
        }
        if (!hold.isTaken(acquisition, handle)) {
            throw new IllegalStateException("What was granted was given back; this is a bug in the lock engine");
        }
        return attained; // made before the hold is taken, so that nothing can fail any more
    }

    private static Path path(Acquisition acquisition, Hold hold) {
        if (hold.wasHandedOver()) {
            return Path.HANDED_OVER;
        }
        return acquisition.queued ? Path.WAITED : Path.UNCONTENDED;
    }

    private void report(Acquisition acquisition, Refusal refusal) {
        events().notAcquired(new LockEvent.NotAcquired(
                acquisition.terms.name(),
                acquisition.key,
                acquisition.waited(context.clock().nanos()),
                refusal,
                acquisition.queued));
    }

    /** Blocks no thread; the handle is the owner. A future that is completed by somebody else gives up the wait. */
    CompletableFuture<Attained> acquireAsync(String key, ResolvedRequest terms) {
        StackReserve.ensure();
        Acquisition acquisition = acquirer.prepare(key, terms, HoldOwner.HANDLE);
        CompletableFuture<Attained> result = new CompletableFuture<>();
        try {
            acquirer.begin(acquisition);
            acquisition.outcome.thenAccept(outcome -> events().complete(() -> deliver(acquisition, outcome, result)));
            result.whenComplete((attained, failure) -> {
                StackReserve.ensure(); // if it throws, what is granted yet is released by its delivery
                acquirer.abandon(acquisition);
            });
            return result;
        } catch (VirtualMachineError e) {
            acquisition.forsaken = true;
            unfinishedOperations.wanted = true;
            throw e;
        } catch (RuntimeException | Error e) {
            abandon(acquisition);
            throw e;
        }
    }

    private void deliver(Acquisition acquisition, AcquireOutcome outcome, CompletableFuture<Attained> result) {
        Attained attained;
        try {
            attained = conclude(acquisition, outcome);
        } catch (RuntimeException | Error e) {
            abandon(acquisition);
            result.completeExceptionally(e);
            return;
        }
        if (!result.complete(attained) && attained instanceof Attained.Handle unwanted) {
            unwanted.handle().releaseAsync();
        }
    }

    /** What happened to the store. */
    void storeEvent(StoreEvent event) {
        if (event instanceof StoreEvent.RecoveryStarted recovery) {
            recoveries.recovers(recovery);
        } else {
            events().store(event);
        }
    }

    List<Waiter> waiters() {
        return acquirer.waiters();
    }

    /**
     * Ends the hold that an operator sees under this fencing token: its own, or the last of its tenure, which stands for whoever
     * has the lock by that tenure; and then releases it. Empty if there is none, or it is being left.
     */
    Optional<CompletableFuture<ReleaseResult>> revoke(String key, long fencingToken) {
        Optional<Hold> meant = holds().find(key, hold -> hold.grant.lastFencingToken == fencingToken)
                .map(this::endOf)
                .or(() -> holds().find(key, hold -> hold.fencingToken == fencingToken));
        return meant.flatMap(hold -> context.backend().during(() -> free(hold)));
    }

    /** Ended before the store is told. */
    private Optional<CompletableFuture<ReleaseResult>> free(Hold hold) {
        Releases.Awaited awaited = releases.answerFor(hold);
        if (!end(hold, LossCause.REVOKED)) {
            releases.forget(awaited);
            return Optional.empty();
        }
        return Optional.of(awaited.answer());
    }

    /** Ends the hold, and releases it. Whoever writes a renewal of it at the moment releases, so that none follows. */
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
     * Another instance took away what was granted to the lock token with this fingerprint. It is released all the same: a renewal
     * that the store executed later may have given it back, and a quorum may have kept a part.
     */
    void revoked(String key, String fingerprint) {
        context.recentRevocations().add(key, fingerprint);
        holds().find(key, hold -> hold.grant.token.fingerprint().equals(fingerprint))
                .map(this::endOf)
                .ifPresent(hold -> context.backend().during(() -> end(hold, LossCause.REVOKED)));
    }

    /** The last hold of the tenure: the one that is there once no other can follow. */
    private Hold endOf(Hold seen) {
        seen.grant.revoke();
        return holds().find(seen.key, hold -> hold.grant == seen.grant).orElse(seen);
    }

    /** Refuses, ends the waits, ends the renewals, tells the holders of their loss, and releases what they held. */
    void close() {
        acquirer.close(new AcquireOutcome.Failed("the lock client is shut down", null));
        context.timer().close();
        holds().forEach(hold -> end(hold, LossCause.SHUTDOWN));
        BlockingWait.awaitUninterruptibly(context.backend().quiet(), LONGEST_STOP);
        events().close();
    }
}
