package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks with readers, as callers of the engine see them. */
public abstract class EngineReadersContract extends EngineContract {

    /** Of a wait that ends with a grant. */
    private static final Duration LONG = Duration.ofMinutes(2);

    private final LockRequest toWrite = request.ownedByHandle().maxWait(LONG);
    private final LockRequest toRead = toWrite.mode(LockMode.READ);
    private final LockRequest readOfThread = request.mode(LockMode.READ).maxWait(LONG);

    public EngineReadersContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void needsReaders() {
        Needs.of(store).readers();
    }

    /** A hold outlasts its readers for a moment, unless another caller waits. */
    private void assertFreeForWriters() {
        second.locks().acquire(toWrite).close();
    }

    @Test
    void readersOfAllInstancesHoldTheLockTogetherButNotWithAWriter() {
        LockHandle one = first.locks().acquire(toRead);
        LockHandle other = second.locks().acquire(toRead);

        assertThat(one.isHeld()).isTrue();
        assertThat(other.isHeld()).isTrue();
        assertThat(one.slot()).isNotEqualTo(other.slot()).isGreaterThanOrEqualTo(LockRequest.MAX_PERMITS);
        assertThat(first.locks().tryAcquire(request)).isEmpty();
        assertThatThrownBy(() -> second.locks().acquire(toWrite.withoutWaiting()))
                .isInstanceOf(LockNotAcquiredException.class);
        one.close();
        assertThat(first.locks().tryAcquire(request)).isEmpty();
        other.close();
        try (LockHandle writer = first.locks().acquire(toWrite)) {
            assertThat(writer.fencingToken()).isGreaterThan(Math.max(one.fencingToken(), other.fencingToken()));
            assertThat(first.locks().tryAcquire(toRead.withoutWaiting())).isEmpty();
            assertThat(second.locks().tryAcquire(toRead.withoutWaiting())).isEmpty();
        }
    }

    @Test
    void readersOfOneInstanceShareAHoldWithoutFurtherCommands() {
        LockHandle one = first.locks().acquire(toRead);
        LockHandle other = first.locks().acquire(readOfThread);
        LockHandle later = first.locks().acquireAsync(toRead).join();

        assertThat(first.backend().count(Verb.ACQUIRE, key)).isEqualTo(1);
        assertThat(List.of(other.fencingToken(), later.fencingToken())).containsOnly(one.fencingToken());
        assertThat(first.locks().heldLocks().snapshot()).hasSize(1);
        assertThat(one.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
        assertThat(one.state()).isEqualTo(HoldState.RELEASED);
        assertThat(other.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
        assertThat(later.isHeld()).isTrue();
        assertThat(later.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertFreeForWriters();
    }

    @Test
    void aReaderWithOtherTermsHasAHoldOfItsOwn() {
        LockHandle one = first.locks().acquire(toRead);
        LockHandle other = first.locks().acquire(toRead.lease(LEASE.dividedBy(2)));

        assertThat(other.fencingToken()).isGreaterThan(one.fencingToken());
        one.close();
        assertThat(other.isHeld()).isTrue();
        other.close();
        assertFreeForWriters();
    }

    @Test
    void aWaitingWriterKeepsNewReadersOutAndIsNext() throws Exception {
        LockHandle one = first.locks().acquire(toRead);
        LockHandle other = second.locks().acquire(toRead);
        Future<LockHandle> writer = elsewhere(() -> second.locks().acquire(toWrite));
        awaitWaiters(second, 1);
        await().untilAsserted(() -> assertThat(
                        first.locks().tryAcquire(toRead.withoutWaiting()).map(LockHandle::release))
                .isEmpty());
        assertThat(second.locks().tryAcquire(toRead.withoutWaiting())).isEmpty();

        one.close();
        other.close();
        LockHandle written = resultOf(writer);

        assertThat(written.fencingToken()).isGreaterThan(other.fencingToken());
    }

    /** One reader always waits when another one ends. */
    @Test
    void aWriterGetsALockThatAnotherInstanceReadsAllTheTime() throws Exception {
        AtomicBoolean written = new AtomicBoolean();
        LockHandle begun = first.locks().acquire(toRead);
        Future<?> readers = elsewhere(() -> {
            LockHandle reading = begun;
            while (!written.get()) {
                CompletableFuture<LockHandle> next = first.locks().acquireAsync(toRead);
                reading.close();
                reading = next.join();
            }
            reading.close();
            return null;
        });

        LockHandle writer = resultOf(elsewhere(() -> second.locks().acquire(toWrite)));
        written.set(true);

        writer.close();
        resultOf(readers);
    }

    @Test
    void readersWaitForAWriterAndEnterTogether() throws Exception {
        LockHandle writer = first.locks().acquire(toWrite);
        List<Future<LockHandle>> readers = new ArrayList<>();
        for (Application application : List.of(first, second, first, second)) {
            readers.add(elsewhere(() -> application.locks().acquire(toRead)));
        }
        awaitWaiters(first, 2);
        awaitWaiters(second, 2);
        writer.close();

        for (Future<LockHandle> reader : readers) {
            assertThat(resultOf(reader).fencingToken()).isGreaterThan(writer.fencingToken());
        }
        assertThat(first.locks().tryAcquire(request)).isEmpty();
    }

    /** For gauges of waiting callers. */
    @Test
    void eachReaderHasAnEventThatEndsItsWait() throws Exception {
        LockHandle writer = second.locks().acquire(toWrite);
        List<Future<LockHandle>> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(elsewhere(() -> first.locks().acquire(toRead)));
        }
        awaitWaiters(first, 3);
        assertThat(first.admin().waiters())
                .extracting(LockAdmin.WaitingCaller::mode)
                .containsOnly(LockMode.READ);
        writer.close();
        for (Future<LockHandle> reader : readers) {
            resultOf(reader);
        }
        LockHandle later = first.locks().acquire(toRead);

        await().untilAsserted(() -> assertThat(first.events().of(LockEvent.Joined.class))
                .extracting(LockEvent.Joined::queued, LockEvent.Joined::fencingToken)
                .containsExactly(
                        tuple(true, later.fencingToken()),
                        tuple(true, later.fencingToken()),
                        tuple(false, later.fencingToken())));
        assertThat(first.events().of(LockEvent.Contended.class)).hasSize(3);
        assertThat(first.events().of(LockEvent.Acquired.class))
                .extracting(LockEvent.Acquired::path)
                .containsExactly(LockEvent.Path.WAITED);
    }

    /** It would wait for itself. */
    @Test
    void aThreadThatReadsMayReadAgainButNotWrite() throws Exception {
        LockHandle outer = first.locks().acquire(readOfThread);
        assertThatThrownBy(() -> first.locks().acquire(request))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Release the lock that is read first");
        assertThatThrownBy(() -> outer.reenter(request)).isInstanceOf(IllegalStateException.class);
        Future<LockHandle> writer = elsewhere(() -> second.locks().acquire(toWrite));
        awaitWaiters(second, 1);

        LockHandle nested = first.locks().acquire(readOfThread);

        assertThat(nested.fencingToken()).isEqualTo(outer.fencingToken());
        assertThat(writer).isNotDone();
        nested.close();
        outer.close();
        resultOf(writer).close();
        first.locks().acquire(request).close();
    }

    @Test
    void aThreadThatWritesMayReadAndExcludesOthersUntilItEndsToRead() {
        LockHandle writer = first.locks().acquire(request);
        LockHandle reader = first.locks().acquire(readOfThread);

        assertThat(reader.fencingToken()).isEqualTo(writer.fencingToken());
        assertThat(writer.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
        assertThat(second.locks().tryAcquire(toRead.withoutWaiting())).isEmpty();
        assertThat(reader.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertFreeForWriters();
    }

    @Test
    void aWriterThatDowngradesReadsBesideOthers() throws Exception {
        LockHandle held = first.locks().acquire(request);
        Future<LockHandle> reader = elsewhere(() -> first.locks().acquire(toRead));
        awaitWaiters(first, 1);
        long token = held.fencingToken();
        held.downgrade();

        assertThat(resultOf(reader).fencingToken()).isEqualTo(token);
        LockHandle other = second.locks().acquire(toRead);
        assertThat(held.isHeld()).isTrue();
        assertThat(held.fencingToken()).isEqualTo(token);
        held.downgrade();
        assertThatThrownBy(() -> first.locks().acquire(request)).isInstanceOf(IllegalStateException.class);
        letPassWithRenewals(LEASE.multipliedBy(2));
        assertThat(held.isHeld() && other.isHeld()).isTrue();
        held.close();
        other.close();
        assertThat(second.locks().tryAcquire(request)).isEmpty();
        resultOf(reader).close();
        assertFreeForWriters();
    }

    /** No writer gets the lock in between. */
    @Test
    void aWaitingWriterFollowsTheReaderThatHasDowngraded() throws Exception {
        LockHandle held = first.locks().acquire(toWrite);
        Future<LockHandle> next = elsewhere(() -> second.locks().acquire(toWrite));
        awaitWaiters(second, 1);
        held.downgrade();

        await().untilAsserted(() -> assertThat(
                        first.locks().tryAcquire(toRead.withoutWaiting()).map(LockHandle::release))
                .isEmpty());
        assertThat(next).isNotDone();
        assertThat(held.isHeld()).isTrue();
        held.close();
        assertThat(resultOf(next).fencingToken()).isGreaterThan(held.fencingToken());
    }

    @Test
    void refusesToDowngradeForOneOfSeveralHandles() {
        LockHandle outer = first.locks().acquire(request);
        LockHandle nested = first.locks().acquire(request);

        assertThatThrownBy(nested::downgrade).isInstanceOf(IllegalStateException.class);
        nested.close();
        outer.downgrade();
        assertThat(second.locks().acquire(toRead).isHeld()).isTrue();
    }

    @Test
    void aRenewedReaderOutlivesItsLease() throws Exception {
        LockHandle reader = first.locks().acquire(toRead.lease(LEASE));
        letPassWithRenewals(LEASE.multipliedBy(2));

        assertThat(reader.isHeld()).isTrue();
        assertHeldByAnother(second);
    }

    @Test
    void aLossReachesEachReaderOfTheHold() {
        LockHandle one = first.locks().acquire(toRead);
        LockHandle other = first.locks().acquire(readOfThread);
        LockHandle elsewhere = second.locks().acquire(toRead);
        AtomicInteger lost = new AtomicInteger();
        one.onLost(lost::incrementAndGet);
        other.onLost(lost::incrementAndGet);
        int slot = first.locks().heldLocks().find(key).orElseThrow().slot();

        assertThat(first.admin().revoke(key, slot, one.fencingToken()).join()).isEqualTo(new Revocation.Revoked());

        await().untilAsserted(() -> assertThat(lost).hasValue(2));
        assertThat(one.state()).isEqualTo(HoldState.LOST);
        assertThat(other.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(elsewhere.isHeld()).isTrue();
        assertThat(first.locks().tryAcquire(request)).isEmpty();
    }

    @Test
    void anOperatorElsewhereTakesTheLockFromReadersOfAnInstance() {
        LockHandle one = first.locks().acquire(toRead);
        LockHandle other = first.locks().acquire(readOfThread);
        LockHandle elsewhere = second.locks().acquire(toRead);
        assertThat(first.locks().heldLocks().find(key)).hasValueSatisfying(held -> {
            assertThat(held.mode()).isEqualTo(LockMode.READ);
            assertThat(held.holdCount()).isEqualTo(2);
        });

        assertThat(second.admin().revoke(key, one.fencingToken()).join()).isEqualTo(new Revocation.Revoked());

        await().untilAsserted(
                        () -> assertThat(List.of(one.state(), other.state())).containsOnly(HoldState.LOST));
        assertThat(elsewhere.isHeld()).isTrue();
        assertThat(second.admin().inspect(key).join())
                .isInstanceOfSatisfying(StoredLock.Read.class, read -> assertThat(read.readers())
                        .containsOnlyKeys(elsewhere.slot()));
    }

    @Test
    void aReaderWithAnotherBehaviourAtALossHasAHoldOfItsOwn() {
        LockHandle one = first.locks().acquire(toRead);
        LockHandle other = first.locks().acquire(toRead.onLost(OnLost.INTERRUPT));

        assertThat(other.fencingToken()).isGreaterThan(one.fencingToken());
        assertThat(one.onLost()).isNotEqualTo(OnLost.INTERRUPT);
        assertThat(other.onLost()).isEqualTo(OnLost.INTERRUPT);
    }

    @Test
    void aReaderHasNoTicket() {
        Needs.of(store).tickets();
        LockHandle reader = first.locks().acquire(toRead);

        assertThatThrownBy(reader::detach)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Lock '" + key + "' can have no ticket: it is read (mode READ), perhaps by others too."
                        + " Acquire it to write");

        assertThat(reader.isHeld()).isTrue();
        assertThat(reader.release()).isEqualTo(ReleaseOutcome.RELEASED);
        LockHandle writer = first.locks().acquire(toWrite);
        writer.downgrade();
        assertThatThrownBy(writer::detach).isInstanceOf(IllegalStateException.class);
        assertThat(writer.isHeld()).isTrue();
    }

    @Test
    void aTicketThatIsUsedUpTakesNothingFromReaders() {
        Needs.of(store).tickets();
        LockTicket ticket = first.locks().acquire(toWrite).detach();
        assertThat(first.locks().tryAcquire(toRead.withoutWaiting())).isEmpty();
        second.locks().attach(ticket).close();
        LockHandle reader = first.locks().acquire(toRead);

        assertThatThrownBy(() -> second.locks().attach(ticket)).isInstanceOf(LockLostException.class);

        assertThat(reader.isHeld()).isTrue();
        assertThat(reader.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertFreeForWriters();
    }

    @Test
    void aReaderThatGivesUpLeavesNothing() {
        LockHandle writer = first.locks().acquire(toWrite);
        assertThat(second.locks().tryAcquire(toRead.maxWait(Duration.ofMillis(50))))
                .isEmpty();
        assertThat(second.locks().acquireAsync(toRead).cancel(true)).isTrue();
        writer.close();
        assertFreeForWriters();
    }

    @Test
    void isAReadWriteLockOfTheJdk() throws Exception {
        ReadWriteLock lock = first.locks().asReadWriteLock(key);
        ReadWriteLock same = second.locks().asReadWriteLock(key);
        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(resultOf(elsewhere(() -> same.readLock().tryLock()))).isTrue();
        assertThat(resultOf(elsewhere(() -> lock.writeLock().tryLock()))).isFalse();
        assertThatThrownBy(() -> lock.writeLock().lock()).isInstanceOf(IllegalStateException.class);
        lock.readLock().unlock();
        assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void neverHasAWriterBesideAnotherOwner() throws Exception {
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        int[] written = new int[1];
        List<Future<Object>> callers = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            Application application = i % 2 == 0 ? first : second;
            boolean writes = i < 4;
            callers.add(elsewhere(() -> {
                for (int round = 0; round < 15; round++) {
                    try (LockHandle held = application.locks().acquire(writes ? toWrite : toRead)) {
                        assertThat(held.isHeld()).isTrue();
                        if (writes) {
                            int before = written[0];
                            assertThat(readers).hasValue(0);
                            Thread.sleep(1); // the work
                            written[0] = before + 1;
                        } else {
                            most.accumulateAndGet(readers.incrementAndGet(), Math::max);
                            Thread.sleep(1); // the work
                            readers.decrementAndGet();
                        }
                    }
                }
                return null;
            }));
        }
        for (Future<Object> caller : callers) {
            caller.get(Patience.SECONDS, TimeUnit.SECONDS);
        }

        assertThat(written[0]).isEqualTo(4 * 15);
        assertThat(most.get()).isGreaterThan(1);
    }
}
