package io.github.lockstarter.engine;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.Acquisitions.IfBusy;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A caller that acquires once, and leaves: by a future, as {@code acquireAsync} does it, or a thread, which enters its
 * hold again. A thread would block, so its call is here in steps.
 */
final class ManualCaller {

    enum Kind {
        /** Asynchronous, waits long. */
        WAITS(TERMS),
        /** The same, for a lock that is not renewed. */
        UNRENEWED(ResolvedRequest.of(REQUEST.withoutRenewal(), ManualEngine.SETTINGS)),
        /** Asynchronous, its wait is over before the first look. */
        WAITS_SHORTLY(TERMS.maxWait(Duration.ofMillis(20))),
        /** Asynchronous, does not wait. */
        TRIES(TERMS.maxWait(Duration.ZERO)),
        /** A thread, waits long. */
        BLOCKS(TERMS),
        /** Asynchronous, waits long to read. */
        READS(TERMS.reading()),
        /** Asynchronous, tries to read. */
        TRIES_TO_READ(TERMS.reading().maxWait(Duration.ZERO)),
        /** A thread, waits long to read. */
        BLOCKS_TO_READ(TERMS.reading()),
        /** Asynchronous, waits long for one of two permits. */
        WAITS_FOR_PERMIT(PERMIT),
        /** Asynchronous, tries to get one of two permits. */
        TRIES_PERMIT(PERMIT.maxWait(Duration.ZERO));

        @SuppressWarnings("ImmutableEnumChecker") // a record of values
        private final ResolvedRequest terms;

        Kind(ResolvedRequest terms) {
            this.terms = terms;
        }

        boolean isThread() {
            return this == BLOCKS || this == BLOCKS_TO_READ;
        }
    }

    static final Duration LONG = Duration.ofHours(1);
    private static final LockRequest REQUEST = LockRequest.of(ManualEngine.KEY).maxWait(LONG);
    private static final ResolvedRequest TERMS = ResolvedRequest.of(REQUEST, ManualEngine.SETTINGS);
    private static final ResolvedRequest PERMIT =
            ResolvedRequest.of(REQUEST.permits(ManualStore.MOST_PERMITS), ManualEngine.SETTINGS);

    /** The owner of the only thread, which never runs. */
    private static final HoldOwner OWNER = new HoldOwner(new Thread(), null, "A thread");

    final Kind kind;
    private final int number;
    private final transient String name;
    private final transient ManualEngine engine;

    /** Of this caller only. */
    private final transient ResolvedRequest terms;

    /** Of a thread, from its call to its end. */
    private @Nullable Waiter waiter;

    private @Nullable CompletableFuture<Handle> result;
    private final List<CompletableFuture<ReleaseOutcome>> releases = new ArrayList<>();
    private final List<CompletableFuture<?>> downgrades = new ArrayList<>();
    private final List<Handle> entries = new ArrayList<>();

    ManualCaller(Kind kind, int number, ManualEngine engine) {
        this.kind = kind;
        this.number = number;
        this.name = String.valueOf((char) ('A' + number));
        this.engine = engine;
        this.terms = kind.terms.maxWait(kind.terms.maxWait());
    }

    boolean asksForPermits() {
        return terms.permits() > 1;
    }

    boolean hasJoined() {
        return result != null;
    }

    /** Whether it has its outcome and has returned. */
    boolean isAtRest() {
        return result == null
                || (result.isDone()
                        && entries.isEmpty()
                        && Stream.of(releases, downgrades).flatMap(List::stream).allMatch(CompletableFuture::isDone));
    }

    /** The requests of two callers may be equal. */
    @SuppressWarnings("ReferenceEquality")
    private Optional<Waiter> queued() {
        List<Waiter> line = KeyLockInvariants.line(engine.running.known(ManualEngine.KEY));
        return line.stream().filter(each -> each.request == terms).findFirst();
    }

    /** When it reads its clock. */
    long wakesAt() {
        return queued().map(Waiter::giveUpAt).orElse(ManualTimer.NEVER);
    }

    void addSteps(Steps steps) {
        if (result == null) {
            steps.add(name, "joins", self(ManualCaller::join));
        } else if (wakesAt() <= engine.now().nanos()) {
            steps.add(name, "looks at its clock", self(ManualCaller::lookAtClock));
        } else if (waiter != null && waiter.outcome.isDone()) {
            steps.add(name, "goes on", self(ManualCaller::goOn));
        }
        if (waiter != null) {
            steps.disturb(name, "is interrupted", self(ManualCaller::interrupt));
        } else if (hasJoined() && !result.isDone()) {
            steps.disturb(name, "cancels", self(caller -> caller.result.cancel(false)));
        } else if (!entries.isEmpty()) {
            steps.add(name, "releases", self(ManualCaller::release));
            steps.disturb(name, "enters again", self(ManualCaller::enterAgain));
            steps.disturb(name, "extends", self(ManualCaller::extend));
            if (kind == Kind.BLOCKS || kind == Kind.READS) {
                steps.disturb(name, "downgrades", self(ManualCaller::downgrade));
            }
        }
    }

    private Consumer<ManualEngine> self(Consumer<ManualCaller> action) {
        return any -> action.accept(any.callers.get(number));
    }

    private void join() {
        result = new CompletableFuture<>();
        result.thenAccept(entries::add);
        if (kind.isThread()) {
            KeyLock lock = engine.running.keyLock(ManualEngine.KEY);
            waiter = new Waiter(lock, terms, OWNER, engine.now().nanos());
            engine.running.join(waiter);
        } else {
            new Acquisitions(engine.running).acquireAsync(ManualEngine.KEY, terms, result);
        }
    }

    private void release() {
        releases.add(entries.remove(entries.size() - 1).beginRelease());
    }

    private void extend() {
        Handle first = entries.get(0);
        engine.running
                .renewForOwner(first.hold, Optional.of(first.hold.request.lease()))
                .thenAccept(result -> continueOn(first, result));
    }

    private void continueOn(Handle entry, RenewResult result) {
        if (result instanceof RenewResult.Renewed) {
            KeyLock lock = entry.hold.lock;
            engine.running.run(lock, (todo, now) -> lock.held().continueOn(entry, REQUEST.terms(), now));
        }
    }

    private void downgrade() {
        engine.running.downgrade(entries.get(0)).ifPresent(downgrades::add);
    }

    private void lookAtClock() {
        Waiter late = queued().orElseThrow();
        engine.running.run(late.lock, (todo, now) -> late.lock.waitIsOver(todo, late, now));
    }

    /** The rest of the thread's call. */
    private void goOn() {
        Waiter blocked = waiter;
        if (!(blocked.decided instanceof WaitOutcome.Granted granted)) {
            end();
            return;
        }
        Hold hold = granted.hold();
        Handle handle = new Handle(hold, OWNER.thread());
        hold.lock.announce(blocked, handle);
        if (Settlement.await(hold)) {
            engine.check(hold.lock.take(blocked, handle), "line 2: a thread cannot take the lock that it was granted");
            waiter = null;
            result.complete(handle);
        } else {
            interrupt();
        }
    }

    private void interrupt() {
        Waiter blocked = waiter;
        engine.running.run(blocked.lock, (todo, now) -> blocked.lock.cancelCall(todo, blocked, now));
        end();
    }

    private void end() {
        waiter = null;
        result.completeExceptionally(new CancellationException());
    }

    private void enterAgain() {
        KeyLock lock = engine.running.known(ManualEngine.KEY);
        try {
            if (!kind.isThread()) {
                entries.get(0).enterAgain(terms).ifPresent(entries::add);
            } else if (lock != null && lock.enteredBy(OWNER) != null) {
                Acquisitions acquisitions = new Acquisitions(engine.running);
                entries.add((Handle) acquisitions
                        .acquireAll(List.of(ManualEngine.KEY), terms, OWNER, IfBusy.THROW)
                        .orElseThrow());
            }
        } catch (LockLostException | IllegalStateException e) {
            // The caller is notified, or has downgraded.
        }
    }
}
