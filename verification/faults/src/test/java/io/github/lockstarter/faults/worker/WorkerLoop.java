package io.github.lockstarter.faults.worker;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.faults.worker.Section.Asked;
import io.github.lockstarter.faults.worker.Section.Writer;
import io.github.lockstarter.faults.worker.Subject.Held;
import io.github.lockstarter.kit.event.EventKind;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The loop of one thread of a worker. Failures are events; only violations are anomalies. */
final class WorkerLoop {

    /** Beyond the wait, the command timeout and every pause of a process by the nemesis. */
    private static final Duration FOREVER = Duration.ofSeconds(60);

    private static final Duration AFTER_AN_ERROR = Duration.ofMillis(20);

    private final WorkerOptions options;
    private final Subject subject;
    private final Section section;
    private final Journal journal;
    private final ScheduledExecutorService others;
    private final SplittableRandom random;
    private final AtomicReference<@Nullable Asked> waiting = new AtomicReference<>();

    WorkerLoop(WorkerOptions options, Subject subject, Section section, Journal journal, Duties duties) {
        this.options = options;
        this.subject = subject;
        this.section = section;
        this.journal = journal;
        this.others = duties.others();
        this.random = duties.random();
    }

    /** The random choices of a thread, and an executor to release its holds on other threads. */
    record Duties(SplittableRandom random, ScheduledExecutorService others) {}

    /** Does one thing. */
    void step() {
        Deed deed = Deed.draw(random, subject.hasReaders());
        String key = deed.key(random, options);
        LockMode mode = subject.hasReaders() ? deed.mode(random) : LockMode.WRITE;
        Asked asked = new Asked(key, System.nanoTime(), deed.wait(random), mode);
        waiting.set(asked);
        try {
            carryOut(deed, asked);
        } catch (LockInterruptedException | InterruptedException | CancellationException e) {
            refused(asked, "INTERRUPTED");
        } catch (LockBackendException e) {
            refused(asked, nameOf(e));
            Section.dwell(AFTER_AN_ERROR);
        } catch (LockException e) {
            refused(asked, e.getClass().getSimpleName());
        } catch (RuntimeException e) {
            refused(asked, "ERROR");
            if (options.subject().client() == WorkerOptions.Client.STARTER) {
                journal.anomaly("I5", key, 0, "unexpected " + e);
            }
            Section.dwell(AFTER_AN_ERROR);
        }
        waiting.set(null);
        long pause = options.load().pause().toNanos();
        Section.dwell(Duration.ofNanos(pause == 0 ? 0 : random.nextLong(2 * pause)));
    }

    /** Whether the thread waits for a lock that should have been refused long ago. */
    boolean isStuck() {
        Asked asked = waiting.get();
        boolean stuck = asked != null
                && System.nanoTime() - asked.at()
                        > asked.patience().plus(FOREVER).toNanos();
        if (stuck && waiting.compareAndSet(asked, null)) {
            journal.anomaly("I5", asked.key(), 0, "waits for " + FOREVER + " longer than it should");
        }
        return stuck;
    }

    private void carryOut(Deed deed, Asked asked) throws InterruptedException {
        LockRequest request = request(deed, asked);
        switch (deed) {
            case ASYNC, CANCEL -> carryOutAsync(deed, asked, request);
            case INTERRUPT -> {
                Interruption interruption = Interruption.arm(others, Duration.ofNanos(random.nextInt(100_000_000)));
                Optional<Held> held;
                try {
                    held = subject.acquire(request);
                } finally {
                    interruption.disarm();
                }
                proceed(deed, asked, held);
            }
            default -> proceed(deed, asked, subject.acquire(request));
        }
    }

    private LockRequest request(Deed deed, Asked asked) {
        LockRequest request = LockRequest.of(text(asked.key()))
                .maxWait(asked.patience())
                .mode(asked.mode())
                .permits(subject.hasPermits() ? deed.permits(random) : 1);
        Duration lease = options.subject().lease();
        return switch (deed) {
            case EXTEND -> request.withoutRenewal();
            case OVERSTAY -> request.withoutRenewal().lease(lease.dividedBy(4));
            default -> request;
        };
    }

    /** Without the guard, the JDK decides which characters are known. */
    private String text(String key) {
        return options.subject().has(WorkerOptions.Guard.KEY_TEXT) ? key : key.replaceAll("\\p{Cn}", "?");
    }

    private void carryOutAsync(Deed deed, Asked asked, LockRequest request) throws InterruptedException {
        CompletableFuture<Held> future = subject.acquireAsync(request);
        try {
            if (deed == Deed.CANCEL) {
                others.schedule(() -> future.cancel(false), random.nextInt(100_000_000), TimeUnit.NANOSECONDS);
            }
            Held held = future.get();
            WatchedHold hold = section.begin(asked, held);
            waiting.set(null);
            String written = work(deed, hold);
            if (options.subject().client() == WorkerOptions.Client.STARTER) {
                others.submit(() -> section.end(hold, written)).get();
            } else {
                section.end(hold, written);
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LockException || e.getCause() instanceof InterruptedException) {
                refused(asked, e.getCause() instanceof LockBackendException failure ? nameOf(failure) : "CONTENDED");
            } else {
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    private void proceed(Deed deed, Asked asked, Optional<Held> granted) throws InterruptedException {
        if (granted.isEmpty()) {
            refused(asked, "CONTENDED");
            return;
        }
        WatchedHold hold = section.begin(asked, granted.get());
        waiting.set(null);
        String written = "";
        try {
            written = work(deed, hold);
            if (deed == Deed.DOWNGRADE) {
                hold = section.downgrade(hold, written);
                written = hold.reads() ? work(deed, hold) : written;
            }
        } finally {
            section.end(hold, written);
        }
    }

    private String work(Deed deed, WatchedHold hold) throws InterruptedException {
        if (!deed.works(random)) {
            return Section.NOT_WRITTEN;
        }
        Duration dwell = deed.dwell(random, options.subject().lease());
        if (hold.reads()) {
            return section.read(hold, working -> working.dwell(dwell));
        }
        try {
            return section.run(hold, writer(), working -> {
                switch (deed) {
                    case NEST -> nest(working.key(), working.held());
                    case EXTEND -> extend(working);
                    default -> working.dwell(dwell);
                }
            });
        } catch (LockBackendException e) {
            return Section.NOT_WRITTEN; // in doubt, which is no refusal of the acquisition
        }
    }

    /** The control without the check of the fencing token needs late writes: the careful have hardly any. */
    private Writer writer() {
        boolean careful = options.subject().has(WorkerOptions.Guard.FENCING) && random.nextBoolean();
        return careful ? Writer.CAREFUL : Writer.CARELESS;
    }

    private void extend(WatchedHold hold) {
        try {
            hold.held().extend(options.subject().longestLease());
            section.extended(hold);
        } catch (LockException e) {
            // Expected; the events record the end of the hold.
        }
    }

    private void nest(String key, Held outer) throws InterruptedException {
        if (options.subject().client() == WorkerOptions.Client.NONE) {
            return;
        }
        try {
            Optional<Held> inner = subject.acquire(LockRequest.of(text(key)).withoutWaiting());
            boolean renewed = inner.isPresent() && inner.get().fencingToken() == outer.fencingToken();
            if (inner.isPresent() && !renewed && options.subject().client() == WorkerOptions.Client.STARTER) {
                journal.anomaly("I2", key, outer.fencingToken(), "the nested hold has another fencing token");
            }
            inner.ifPresent(Held::release);
        } catch (LockException e) {
            // The outer hold has been lost.
        }
    }

    private static String nameOf(LockBackendException failure) {
        return failure instanceof LockStoreRecoveringException ? "RECOVERING" : "ERROR";
    }

    private void refused(Asked asked, String why) {
        journal.write(journal.event(EventKind.REFUSED)
                .of(asked.key(), 0)
                .between(asked.at(), 0)
                .counting(asked.patience().toNanos())
                .noting(why));
    }
}
