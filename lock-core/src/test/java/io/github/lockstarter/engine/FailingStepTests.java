package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.Slots;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;

/**
 * An event of a key that fails at any of the steps that it adds: each caller has its outcome, and without the end of a
 * lease, each grant is released. Listeners receive each release once.
 */
class FailingStepTests {

    private static final LockRequest REQUEST = LockRequest.of(ManualEngine.KEY).maxWait(ManualCaller.LONG);
    private static final ResolvedRequest TERMS = ResolvedRequest.of(REQUEST, ManualEngine.SETTINGS);

    private static final long PAUSE_NANOS = 100_000_000;

    private ResolvedRequest terms = TERMS;
    private ManualEngine engine;
    private List<CompletableFuture<Handle>> results;

    /** Adds to others, until one fails. */
    private static final class FailingEffects extends Effects {

        private final Effects target;
        private final int failsAt;
        private int added;

        FailingEffects(Effects target, int failsAt) {
            this.target = target;
            this.failsAt = failsAt;
        }

        @Override
        void add(Runnable step) {
            if (added++ == failsAt) {
                throw new OutOfMemoryError("planted");
            }
            target.add(step);
        }
    }

    @Test
    void aGrantIsGivenBack() {
        failEverywhere(2, place -> {
            acquire();
            KeyLock lock = lock();
            Attempt attempt = (Attempt) ReflectionTestUtils.getField(lock, "attempt");
            boolean fails =
                    failsAt(place, lock, (todo, now) -> answered(todo, attempt, new AcquireResult.Granted(1, 0), now));
            AcquireResult ignored = new AcquireResult.Contended(Optional.empty(), Waiting.NEW);
            engine.store.unanswered.remove(0).answer().complete(ignored);
            return fails;
        });
    }

    private static boolean answered(Effects todo, Attempt attempt, AcquireResult result, Moment now) {
        attempt.waiter.lock.answered(todo, attempt, result, now);
        return true;
    }

    @Test
    void aGrantToReadersIsGivenBack() {
        terms = TERMS.reading();
        failEverywhere(3, place -> {
            acquire();
            acquire();
            Attempt attempt = (Attempt) ReflectionTestUtils.getField(lock(), "attempt");
            AcquireResult granted = new AcquireResult.Granted(1, 0, Optional.empty(), "", Slots.OF_READERS.from());
            boolean fails = failsAt(place, lock(), (todo, now) -> answered(todo, attempt, granted, now));
            engine.store.unanswered.remove(0).answer().complete(new AcquireResult.Contended(Optional.empty(), 0));
            return fails;
        });
    }

    @Test
    void aReaderThatFailsToJoinIsNotCounted() {
        terms = TERMS.reading();
        failEverywhere(1, place -> {
            Handle held = held(acquire());
            Waiter reader = new Waiter(
                    held.hold.lock, terms, HoldOwner.HANDLE, engine.now().nanos());
            boolean fails = failsAt(place, held.hold.lock, (todo, now) -> lock().join(todo, reader, now));
            engine.running.run(held.hold.lock, (todo, now) -> held.hold.lock.cancelCall(todo, reader, now));
            assertThat(held.hold.entries).isEqualTo(1);
            return fails;
        });
    }

    @Test
    void aDowngradeEndsInARelease() {
        failEverywhere(2, place -> {
            Handle held = held(acquire());
            terms = TERMS.reading();
            acquire();
            acquire();
            terms = TERMS;
            engine.running.downgrade(held);
            AcquireResult unknown = new AcquireResult.Unknown("planted", new IllegalStateException());
            engine.store.unanswered.remove(0).answer().complete(unknown);
            held.hold.grant.renewing++; // as if this were not the answer
            AcquireResult granted =
                    new AcquireResult.Granted(held.fencingToken(), 0, Optional.empty(), "", Slots.OF_READERS.from());
            return failsAt(place, lock(), (todo, now) -> downgraded(todo, held.hold, granted, now));
        });
    }

    private static boolean downgraded(Effects todo, Hold writer, AcquireResult result, Moment now) {
        writer.lock.held().downgraded(todo, writer, result, now);
        return true;
    }

    @Test
    void aReleaseIsCarriedOut() {
        failEverywhere(2, place -> {
            Handle held = held(acquire());
            acquire();
            return failsAt(place, lock(), (todo, now) -> lock().held().exit(todo, held, now));
        });
    }

    @Test
    void aHandOverEndsInARelease() {
        failEverywhere(2, place -> {
            Handle first = held(acquire());
            CompletableFuture<Handle> second = acquire();
            acquire();
            first.beginRelease();
            take("ReleaseCommand");
            Handle held = held(second); // with fencing tokens for handovers
            return failsAt(place, lock(), (todo, now) -> lock().held().exit(todo, held, now));
        });
    }

    /** A loss must be known soon; and a failure that lasts must not keep the timer busy. */
    @Test
    void theFirstFailureIsRepeatedAtOnceAndALaterOneAfterAPause() {
        engine = new ManualEngine(List.of(), lock -> {});
        results = new ArrayList<>();
        Handle held = held(acquire());
        held.hold.deadline = null; // so that each look fails
        held.hold.lock.fire();
        assertThat(engine.timer.next).isLessThanOrEqualTo(engine.now().nanos());
        engine.timer.tick(engine.now().nanos());
        assertThat(engine.timer.next - engine.now().nanos()).isEqualTo(PAUSE_NANOS);
    }

    @Test
    void aLookThatCannotBeginIsReportedOnceAndRepeatedUntilItCan() {
        engine = new ManualEngine(List.of(), lock -> {});
        results = new ArrayList<>();
        Handle held = held(acquire());
        KeyLock lock = held.hold.lock;
        Object usual = ReflectionTestUtils.getField(engine.running.watchdog, "ofTick");
        Object full = new ArrayBlockingQueue<Runnable>(1, false, List.of(() -> {}));
        ReflectionTestUtils.setField(engine.running.watchdog, "ofTick", full);
        assertThatThrownBy(lock::fire).isInstanceOf(IllegalStateException.class);
        assertThat(engine.timer.next).isLessThanOrEqualTo(engine.now().nanos());
        held.onLost(() -> {}); // an event that succeeds
        engine.timer.tick(engine.now().nanos());
        assertThat(engine.timer.next - engine.now().nanos()).isEqualTo(PAUSE_NANOS);
        ReflectionTestUtils.setField(engine.running.watchdog, "ofTick", usual);
        take("time");

        assertThat(lock.hasFailed()).isFalse();
        assertThat(held.hold.isRenewed()).isTrue();
    }

    private void failEverywhere(int fewestPlaces, IntPredicate failsAt) {
        int place = 0;
        while (failsAndRecovers(place, failsAt)) {
            place++;
        }
        assertThat(place).as("places").isGreaterThanOrEqualTo(fewestPlaces);
    }

    private boolean failsAndRecovers(int place, IntPredicate failsAt) {
        List<Long> released = new ArrayList<>();
        engine = new ManualEngine(List.of(), lock -> {}, List.of(addingReleasesTo(released)));
        results = new ArrayList<>();
        if (!failsAt.test(place)) {
            return false;
        }
        results.forEach(result -> result.thenAccept(Handle::beginRelease));
        engine.comeToRest();

        assertThat(engine.violations).as("place " + place).isEmpty();
        assertThat(results).as("place " + place).allMatch(CompletableFuture::isDone);
        assertThat(engine.now().nanos()).as("without delay").isEqualTo(ManualEngine.BEGIN);
        assertThat(released).as("releases told, place " + place).doesNotHaveDuplicates();
        assertThat(engine.running.size()).isZero();
        assertThat(engine.running.drain()).as("place " + place).isDone();
        return true;
    }

    private static LockListener addingReleasesTo(List<Long> released) {
        return new LockListener() {
            @Override
            public void onEvent(LockEvent event) {
                if (event instanceof LockEvent.Released release) {
                    released.add(release.fencingToken());
                }
            }
        };
    }

    private boolean failsAt(int place, KeyLock lock, BiFunction<Effects, Moment, ?> event) {
        try {
            lock.running.run(lock, (todo, now) -> lock.apply(event, new FailingEffects(todo, place), now));
            return false;
        } catch (OutOfMemoryError planted) {
            take("time"); // the failure is applied
            return true;
        }
    }

    private KeyLock lock() {
        return engine.running.known(ManualEngine.KEY);
    }

    private CompletableFuture<Handle> acquire() {
        CompletableFuture<Handle> result = new CompletableFuture<>();
        new Acquisitions(engine.running).acquireAsync(ManualEngine.KEY, terms, result);
        results.add(result);
        return result;
    }

    private Handle held(CompletableFuture<Handle> acquiring) {
        take("AcquireCommand");
        take("an outcome");
        return acquiring.join();
    }

    private void take(String subject) {
        engine.take(engine.steps().stream()
                .filter(step -> step.subject().equals(subject))
                .findFirst()
                .orElseThrow());
    }
}
