package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * An engine between start and stop: its parts, and the way of one acquisition through them. Thread-safe; without state
 * of its own.
 */
final class Session {

    private final Core core;
    private final Losses losses;
    private final Releases releases;
    private final Watchdog watchdog;
    private final Acquirer acquirer;

    Session(
            LockBackend backend,
            EngineSettings settings,
            List<LockListener> listeners,
            EngineClock clock,
            Tokens tokens) {
        Events events = new Events(listeners);
        this.core = new Core(backend, settings, clock, events, new TimerWheel(clock), tokens, new Holds());
        this.losses = new Losses(core);
        this.releases = new Releases(core, losses);
        this.watchdog = new Watchdog(core, losses, releases);
        this.acquirer = new Acquirer(core, losses, releases, watchdog);
    }

    Losses losses() {
        return losses;
    }

    Releases releases() {
        return releases;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    Events events() {
        return core.events();
    }

    Holds holds() {
        return core.holds();
    }

    void signal(String key) {
        acquirer.signal(key);
    }

    void signalAll() {
        acquirer.signalAll();
    }

    void checkLease(String key, Duration lease) {
        String subject = "Lease of lock '" + key + "'";
        Checks.within(subject, lease, Checks.SHORTEST_LEASE, Checks.LONGEST);
        Checks.atMostMaxLease(subject, lease, core.settings().maxLease());
    }

    /** A nested hold of the current thread, if it has the key. */
    private Optional<HoldHandle> reenter(Owner owner, String key) {
        Optional<Hold> outer = holds().of(owner, key);
        if (outer.isEmpty()) {
            return Optional.empty();
        }
        Hold hold = outer.get();
        losses.isHeld(hold);
        if (hold.lifecycle.enter()) {
            return Optional.of(new HoldHandle(hold, this));
        }
        if (hold.lifecycle.isLost()) {
            throw Messages.lost(hold);
        }
        return Optional.empty(); // another thread releases it right now
    }

    /** Blocks the calling thread, which becomes the owner. Empty if contended; the acquisition says more. */
    Attained acquire(String key, Terms terms) {
        Owner owner = Owner.currentThread();
        Optional<HoldHandle> nested = reenter(owner, key);
        if (nested.isPresent()) {
            return new Attained.Handle(nested.get());
        }
        if (Thread.currentThread().isInterrupted()) {
            throw Messages.interrupted(key, new InterruptedException());
        }
        Acquisition acquisition = acquirer.begin(key, terms, owner);
        return conclude(acquisition, await(acquisition));
    }

    private Outcome await(Acquisition acquisition) {
        try {
            return acquisition.outcome.get();
        } catch (InterruptedException e) {
            giveUp(acquisition);
            report(acquisition, Refusal.INTERRUPTED);
            Thread.currentThread().interrupt();
            throw Messages.interrupted(acquisition.key, e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("Outcomes complete normally; this is a bug in the lock engine", e);
        }
    }

    private void giveUp(Acquisition acquisition) {
        acquirer.abandon(acquisition);
        if (acquisition.outcome.join() instanceof Outcome.Got got) {
            releases.exit(got.hold());
        }
    }

    private Attained conclude(Acquisition acquisition, Outcome outcome) {
        if (outcome instanceof Outcome.Got got) {
            Path path = acquisition.queued ? Path.WAITED : Path.UNCONTENDED;
            Hold hold = got.hold();
            core.events()
                    .acquired(new LockEvent.Acquired(
                            hold.terms.name(),
                            hold.key,
                            hold.fencingToken,
                            acquisition.waited(core.clock().nanos()),
                            acquisition.attempts,
                            path));
            return new Attained.Handle(new HoldHandle(hold, this));
        }
        if (outcome instanceof Outcome.Busy busy) {
            report(acquisition, Refusal.CONTENDED);
            return new Attained.Nothing(acquisition, busy.standing());
        }
        if (outcome instanceof Outcome.Failed failure) {
            report(acquisition, Refusal.ERROR);
            throw Messages.failed(acquisition.key, failure);
        }
        report(acquisition, Refusal.INTERRUPTED);
        throw new CancellationException("The wait for '" + acquisition.key + "' was cancelled");
    }

    private void report(Acquisition acquisition, Refusal refusal) {
        core.events()
                .notAcquired(new LockEvent.NotAcquired(
                        acquisition.terms.name(),
                        acquisition.key,
                        acquisition.waited(core.clock().nanos()),
                        refusal,
                        acquisition.queued));
    }

    /** Blocks no thread; the handle is the owner. Cancel the acquisition by cancelling the future. */
    CompletableFuture<Attained> acquireAsync(String key, Terms terms) {
        Acquisition acquisition = acquirer.begin(key, terms, Owner.HANDLE);
        CompletableFuture<Attained> result = new CompletableFuture<>();
        acquisition.outcome.thenAccept(
                outcome -> core.events().onCompletionThread(() -> deliver(acquisition, outcome, result)));
        result.whenComplete((attained, failure) -> {
            if (result.isCancelled()) {
                giveUp(acquisition);
            }
        });
        return result;
    }

    private void deliver(Acquisition acquisition, Outcome outcome, CompletableFuture<Attained> result) {
        try {
            Attained attained = conclude(acquisition, outcome);
            result.complete(attained);
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }

    /** Refuses, ends the waits, tells the holders of their loss, releases what they held, ends the threads. */
    void close() {
        acquirer.close(new Outcome.Failed("the lock client is shut down", null));
        List<Hold> held = new ArrayList<>(holds().all());
        List<CompletableFuture<?>> releasing = new ArrayList<>();
        for (Hold hold : held) {
            losses.lose(hold, LossCause.SHUTDOWN);
            releasing.add(Results.of(() -> core.backend().release(hold.releaseCommand()), Results::unknownRelease)
                    .toCompletableFuture());
        }
        Waits.uninterruptibly(CompletableFuture.allOf(releasing.toArray(CompletableFuture<?>[]::new)));
        core.timer().close();
        core.events().close();
    }
}
