package io.github.lockstarter.contract;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A held lock is reentered, released and extended. */
public abstract class EngineHoldContract extends EngineContract {

    public EngineHoldContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void reentersOnTheSameThreadWithoutACommandToTheStore() {
        try (LockHandle outer = first.locks().acquire(request)) {
            try (LockHandle inner = first.locks().acquire(request)) {
                assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
                assertThat(inner.isHeld()).isTrue();
            }
            assertThat(first.backend().count(Verb.ACQUIRE)).isEqualTo(1);
            assertThat(first.backend().count(Verb.RELEASE)).isZero();
        }
        assertFree();
    }

    @Test
    void keepsTheLockWhenTheInnerHoldIsReleased() {
        LockHandle outer = first.locks().acquire(request);
        LockHandle inner = first.locks().acquire(request);

        assertThat(inner.release()).isEqualTo(ReleaseOutcome.STILL_HELD);

        assertThat(outer.isHeld()).isTrue();
        assertThat(inner.isHeld()).isFalse();
        assertHeldByAnother(second);
        assertThat(outer.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertFree();
    }

    @Test
    void keepsTheLockUntilTheLastHoldIsReleasedInAnyOrder() {
        LockHandle outer = first.locks().acquire(request);
        LockHandle inner = first.locks().acquire(request);

        assertThat(outer.release()).isEqualTo(ReleaseOutcome.STILL_HELD);

        assertThat(inner.isHeld()).isTrue();
        assertHeldByAnother(second);
        assertThat(inner.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertFree();
    }

    @Test
    void aNestedHoldNeverShortensTheLease() {
        try (LockHandle outer = first.locks().acquire(request)) {
            try (LockHandle inner = first.locks().acquire(request.lease(ofMillis(50)))) {
                assertThat(inner.remainingLease()).isGreaterThan(LEASE.dividedBy(2));
            }
            assertThat(outer.remainingLease()).isGreaterThan(LEASE.dividedBy(2));
        }
    }

    @Test
    void refusesToReenterALostLock() {
        LockHandle outer = first.locks().acquire(request.withoutRenewal());
        letPass(LEASE);
        await().until(() -> !outer.isHeld());

        assertThatThrownBy(() -> first.locks().acquire(request))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining(key);
        assertThat(outer.release()).isEqualTo(ReleaseOutcome.LOST);
        assertFree();
    }

    @Test
    void doesNotReenterOnAnotherThread() throws Exception {
        try (LockHandle held = first.locks().acquire(request)) {
            Optional<LockHandle> other = resultOf(elsewhere(() -> first.locks().tryAcquire(request)));

            assertThat(other).isEmpty();
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void anotherThreadCanReleaseTheHandle() throws Exception {
        LockHandle held = first.locks().acquire(request);

        assertThat(resultOf(elsewhere(held::release))).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(held.isHeld()).isFalse();
        assertFree();
        try (LockHandle again = first.locks().acquire(request)) {
            assertThat(again.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    void aSecondReleaseHasNoEffectAndSaysSo() {
        LockHandle held = first.locks().acquire(request);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        try (LockHandle next = second.locks().acquire(request)) {
            assertThat(held.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);
            held.close();

            assertThat(next.isHeld()).isTrue();
            assertHeldByAnother(first);
        }
    }

    @Test
    void releasingTheInnerHoldTwiceKeepsTheOuterHold() {
        try (LockHandle outer = first.locks().acquire(request)) {
            LockHandle inner = first.locks().acquire(request);
            inner.release();

            assertThat(inner.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);

            assertThat(outer.isHeld()).isTrue();
            assertHeldByAnother(second);
        }
    }

    @Test
    void aLateReleaseReportsTheLossAndKeepsTheNextOwnersLock() {
        LockHandle late = first.locks().acquire(request.withoutRenewal());
        letPass(LEASE);
        try (LockHandle present = second.locks().acquire(request)) {
            assertThat(late.isHeld()).isFalse();
            assertThat(late.release()).isEqualTo(ReleaseOutcome.LOST);

            assertThat(present.isHeld()).isTrue();
            assertHeldByAnother(first);
        }
    }

    @Test
    void closeThrowsWhenTheLockWasLost() {
        LockHandle late = first.locks().acquire(request.withoutRenewal());
        letPass(LEASE);
        await().until(() -> !late.isHeld());

        assertThatThrownBy(late::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining(key);
        assertThatThrownBy(late::close).isInstanceOf(LockLostException.class).hasMessageContaining(key);
    }

    @Test
    void ensureHeldAndExtendThrowAfterTheRelease() {
        LockHandle held = first.locks().acquire(request);
        held.release();

        assertThatThrownBy(held::ensureHeld).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> held.extend(request)).isInstanceOf(IllegalStateException.class);
        assertThat(held.remainingLease()).isEqualTo(Duration.ZERO);
    }

    @Test
    void extendsAHoldThatIsNotRenewed() {
        try (LockHandle held = first.locks().acquire(request.withoutRenewal())) {
            held.extend(LockRequest.of(key).lease(LEASE.multipliedBy(3)));

            assertThat(held.remainingLease()).isBetween(LEASE.multipliedBy(2), LEASE.multipliedBy(3));
            letPass(LEASE.multipliedBy(2));
            assertThat(held.isHeld()).isTrue();
            assertHeldByAnother(second);
        }
    }

    @Test
    void anExtensionNeverShortensTheLease() {
        try (LockHandle held = first.locks().acquire(request.withoutRenewal())) {
            held.extend(LockRequest.of(key).lease(ofMillis(50)));

            assertThat(held.remainingLease()).isGreaterThan(LEASE.dividedBy(2));
        }
    }

    @Test
    void listsHeldLocks() {
        try (LockHandle held = first.locks().acquire(request.named("listed"))) {
            assertThat(first.locks().heldLocks().find(key)).hasValueSatisfying(lock -> {
                assertThat(lock.name()).isEqualTo("listed");
                assertThat(lock.fencingToken()).isEqualTo(held.fencingToken());
                assertThat(lock.holdCount()).isEqualTo(1);
            });
            assertThat(second.locks().heldLocks().size()).isZero();
        }
        assertThat(first.locks().heldLocks().size()).isZero();
    }

    @Test
    void reportsAcquisitionAndReleaseToListeners() {
        first.locks().acquire(request.named("told")).close();

        assertThat(first.events().of(LockEvent.Acquired.class)).singleElement().satisfies(event -> {
            assertThat(event.name()).isEqualTo("told");
            assertThat(event.path()).isEqualTo(LockEvent.Path.UNCONTENDED);
        });
        assertThat(first.events().of(LockEvent.Released.class))
                .singleElement()
                .extracting(LockEvent.Released::outcome)
                .isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(first.backend().count(Verb.RELEASE)).isEqualTo(1);
    }

    @Test
    void excludesAnotherThreadWithTheSameId() throws Exception {
        AtomicReference<Optional<LockHandle>> other = new AtomicReference<>(Optional.empty());
        CountDownLatch acquired = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread holder = new NumberSeven(() -> first.locks().execute(request, () -> {
            acquired.countDown();
            end.await();
        }));
        holder.start();
        acquired.await();
        Thread stranger = new NumberSeven(() -> other.set(first.locks().tryAcquire(request)));
        stranger.start();
        stranger.join();
        end.countDown();
        holder.join();

        assertThat(other.get()).isEmpty();
    }

    /** Has the same id as, and equals, all others of its kind. */
    private static final class NumberSeven extends Thread {

        private interface Work {
            void run() throws Exception;
        }

        private final Work work;

        NumberSeven(Work work) {
            this.work = work;
        }

        @Override
        public void run() {
            try {
                work.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        @SuppressWarnings("deprecation") // threadId() came with JDK 19
        public long getId() {
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof NumberSeven;
        }

        @Override
        public int hashCode() {
            return 7;
        }
    }

    @Test
    void escapesTheLineBreaksOfAKeyInMessages() {
        LockRequest forged = LockRequest.of(key + "\r\nWARN lost 'order:42'").withoutWaiting();
        try (LockHandle held = first.locks().acquire(forged)) {
            assertThatThrownBy(() -> second.locks().acquire(forged))
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining(key + "\\r\\nWARN")
                    .message()
                    .hasLineCount(1);
            assertThat(held.toString()).hasLineCount(1);
            assertThat(held.key()).isEqualTo(forged.keys().get(0));
        }
    }

    @Test
    void theAcquiringThreadCannotReenterWhenTheHandleIsTheOwner() throws Exception {
        LockHandle travelling = first.locks().acquire(request.ownedByHandle());

        assertHeldByAnother(first);
        assertThatThrownBy(() -> first.locks().acquire(request.withoutWaiting()))
                .isInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining(Thread.currentThread().getName());
        assertThat(first.locks().tryAcquire(request.ownedByHandle())).isEmpty();

        assertThat(resultOf(elsewhere(travelling::release))).isEqualTo(ReleaseOutcome.RELEASED);
        try (LockHandle next = first.locks().acquire(request.ownedByHandle())) {
            assertThat(next.fencingToken()).isGreaterThan(travelling.fencingToken());
        }
        assertFree();
    }

    @Test
    void aSecondAcquireWaitsForTheReleaseWhenTheHandleIsTheOwner() throws Exception {
        LockHandle travelling = first.locks().acquire(request.ownedByHandle());
        Future<LockHandle> next = elsewhere(() -> first.locks().acquire(request.ownedByHandle()));
        awaitWaiters(first, 1);

        travelling.release();

        try (LockHandle handle = resultOf(next)) {
            assertThat(handle.isHeld()).isTrue();
            assertHeldByAnother(first);
        }
    }

    @Test
    void theHandleOwnsSeveralKeys() {
        LockRequest both = LockRequest.ofAll(List.of(key, key + ":other")).ownedByHandle();
        try (LockHandle held = first.locks().acquire(both)) {
            assertHeldByAnother(first);
            assertThat(first.locks().tryAcquire(LockRequest.of(key + ":other"))).isEmpty();
            assertThat(first.locks().tryAcquire(both)).isEmpty();
            assertThat(held.isHeld()).isTrue();
        }
        assertFree();
    }
}
