package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks with readers: each has a slot, and the owner of slot 0 writes. */
public abstract class ReadersContract extends BackendContract {

    public ReadersContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void needsReaders() {
        Needs.of(store).readers();
    }

    private AcquireResult tryToRead(SpiClient client, LockToken token, Duration lease, Optional<Waiting> waiting) {
        return SpiClient.answer(client.backend()
                .attemptAcquire(new AcquireCommand(
                        key, token, lease, 0, 1, waiting, Duration.ZERO, 1, Optional.empty(), LockMode.READ)));
    }

    private AcquireResult tryToRead(SpiClient client) {
        return tryToRead(client, client.newToken(), LEASE, Optional.empty());
    }

    private AcquireResult tryToWrite(SpiClient client) {
        return client.tryOnce(key, client.newToken(), LEASE);
    }

    private Reader read(SpiClient client) {
        return read(client, LEASE);
    }

    private Reader read(SpiClient client, Duration lease) {
        LockToken token = client.newToken();
        AcquireResult result = tryToRead(client, token, lease, Optional.empty());
        assertThat(result).isInstanceOf(Granted.class);
        return new Reader(client, token, (Granted) result);
    }

    private record Reader(SpiClient client, LockToken token, Granted grant) {

        ReleaseResult release(String key) {
            return release(key, Slots.one(grant.slot()));
        }

        ReleaseResult release(String key, Slots slots) {
            return release(key, Wait.UNCHANGED, slots);
        }

        private ReleaseResult release(String key, Wait wait, Slots slots) {
            return SpiClient.answer(client.backend()
                    .releaseToken(new ReleaseCommand(key, token, grant.fencingToken(), wait, Duration.ZERO, slots)));
        }

        ReleaseResult releaseAndQueue(String key) {
            return release(key, new Wait.GoesOn(LEASE), Slots.one(grant.slot()));
        }

        RenewResult renew(String key, Duration lease) {
            return SpiClient.answer(client.backend()
                    .renewLeases(List.of(new RenewCommand(key, token, lease, grant.fencingToken(), grant.slot())))
                    .get(0));
        }
    }

    private long queueToRead(SpiClient client, long position) {
        AcquireResult result = tryToRead(client, client.newToken(), LEASE, Optional.of(new Waiting(position, LEASE)));
        assertThat(result).isInstanceOf(Contended.class);
        return ((Contended) result).position();
    }

    @Test
    void readersShareTheLockAndExcludeWriters() {
        Reader first = read(alice);
        Reader second = read(bob);

        assertThat(first.grant.slot()).isNotEqualTo(second.grant.slot());
        assertThat(Slots.OF_READERS.contains(first.grant.slot())).isTrue();
        assertThat(second.grant.fencingToken()).isGreaterThan(first.grant.fencingToken());
        assertThat(tryToWrite(alice)).isInstanceOf(Contended.class);
        assertThat(first.release(key)).isInstanceOf(ReleaseResult.Released.class);
        assertThat(tryToWrite(alice)).isInstanceOf(Contended.class);
        assertThat(second.release(key)).isInstanceOf(ReleaseResult.Released.class);
        assertThat(fencingTokenOf(tryToWrite(alice))).isGreaterThan(second.grant.fencingToken());
    }

    @Test
    void aWriterExcludesReaders() {
        SpiHold writer = alice.hold(key, LEASE);

        assertThat(tryToRead(alice)).isInstanceOf(Contended.class);
        assertThat(tryToRead(bob)).isInstanceOf(Contended.class);
        writer.release();

        assertThat(read(bob).grant.fencingToken()).isGreaterThan(writer.fencingToken());
    }

    @Test
    void aRepeatedAttemptOfAReaderGetsItsSlotAgain() {
        LockToken token = alice.newToken();
        AcquireResult first = tryToRead(alice, token, LEASE, Optional.empty());
        AcquireResult again = tryToRead(alice, token, LEASE, Optional.empty());

        assertThat(again).isInstanceOf(Granted.class);
        assertThat(((Granted) again).slot()).isEqualTo(((Granted) first).slot());
        assertThat(((Granted) again).fencingToken()).isEqualTo(((Granted) first).fencingToken());
    }

    /** Of an attempt whose answer was lost. */
    @Test
    void aReleaseFindsTheSlotOfItsReader() {
        Reader first = read(alice);
        Reader second = read(alice);

        assertThat(second.release(key, Slots.OF_READERS)).isInstanceOf(ReleaseResult.Released.class);

        assertThat(second.renew(key, LEASE)).isInstanceOf(RenewResult.NotHeld.class);
        assertThat(first.renew(key, LEASE)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(second.release(key, Slots.OF_READERS)).isNotInstanceOf(ReleaseResult.Unknown.class);
        assertThat(tryToWrite(bob)).isInstanceOf(Contended.class);
    }

    @Test
    void aReaderThatIsRenewedExcludesWritersForLonger() {
        AtomicReference<Reader> inTime = new AtomicReference<>();
        await().until(() -> {
            inTime.set(read(alice, SHORT_LEASE));
            return inTime.get().renew(key, LEASE) instanceof RenewResult.Renewed; // unless too late
        });
        Reader renewed = inTime.get();
        Reader ending = read(bob, SHORT_LEASE);
        letPass(SHORT_LEASE.multipliedBy(2));

        assertThat(ending.renew(key, LEASE)).isInstanceOf(RenewResult.NotHeld.class);
        assertThat(tryToWrite(bob)).isInstanceOf(Contended.class);
        assertThat(renewed.renew(key, LEASE)).isInstanceOf(RenewResult.Renewed.class);
        renewed.release(key);
        assertThat(tryToWrite(bob)).isInstanceOf(Granted.class);
    }

    /** The mark of the lock has the longest lease of its readers, in whatever order they came. */
    @Test
    void aReaderWithAShortLeaseLeavesThatOfOthers() {
        Reader first = read(alice, LEASE);
        read(bob, SHORT_LEASE);
        letPass(SHORT_LEASE.multipliedBy(2));

        assertThat(tryToWrite(bob)).isInstanceOf(Contended.class);
        assertThat(first.renew(key, LEASE)).isInstanceOf(RenewResult.Renewed.class);
    }

    @Test
    void aWaitingInstanceKeepsNewReadersOut() {
        Reader first = read(alice);
        alice.queue(key);

        assertThat(tryToRead(bob)).isInstanceOf(Contended.class);
        assertThat(tryToRead(alice)).isInstanceOf(Contended.class);
        queueToRead(bob, Waiting.NEW);
        first.release(key);
        assertSignalled(alice);
        assertNotSignalled(bob);
    }

    @Test
    void theReleaseOfOneOfSeveralReadersSignalsNobody() {
        Needs.of(store).signalsInOrder();
        Reader first = read(alice);
        Reader second = read(alice);
        bob.queue(key);

        first.release(key);
        assertNotSignalled(bob);
        second.release(key);
        assertSignalled(bob);
    }

    /** Each reader that was granted signals the next instance in line. */
    @Test
    void readersThatWaitedEnterOneAfterTheOther() {
        Needs.of(store).signalsInOrder();
        SpiHold writer = alice.hold(key, LEASE);
        SpiClient carol = newClient();
        long first = queueToRead(bob, Waiting.NEW);
        long second = queueToRead(carol, Waiting.NEW);
        writer.release();
        assertSignalled(bob);
        assertNotSignalled(carol);

        AcquireResult ofBob = tryToRead(bob, bob.newToken(), LEASE, Optional.of(new Waiting(first, LEASE)));
        assertThat(ofBob).isInstanceOf(Granted.class);
        assertSignalled(carol);
        AcquireResult ofCarol = tryToRead(carol, carol.newToken(), LEASE, Optional.of(new Waiting(second, LEASE)));

        assertThat(ofCarol).isInstanceOf(Granted.class);
    }

    /** Otherwise its next reader passes the instance that was signalled. */
    @Test
    void anInstanceThatGoesOnReadingIsQueuedBehindTheOneThatItsLastReaderSignals() {
        Needs.of(store).signalsInOrder();
        Reader first = read(alice);
        Reader last = read(alice);
        bob.queue(key);
        first.releaseAndQueue(key);
        assertNotSignalled(bob);

        last.releaseAndQueue(key);

        assertSignalled(bob);
        bob.hold(key, LEASE).release();
        assertSignalled(alice);
    }

    @Test
    void aWriterThatBeginsToReadSignalsTheFirstInLine() {
        Needs.of(store).signalsInOrder();
        LockToken writer = alice.newToken();
        assertThat(alice.tryOnce(key, writer, LEASE)).isInstanceOf(Granted.class);
        long first = queueToRead(bob, Waiting.NEW);

        assertThat(tryToRead(alice, writer, LEASE, Optional.empty())).isInstanceOf(Granted.class);

        assertSignalled(bob);
        AcquireResult ofBob = tryToRead(bob, bob.newToken(), LEASE, Optional.of(new Waiting(first, LEASE)));
        assertThat(ofBob).isInstanceOf(Granted.class);
    }

    @Test
    void aWriterThatGivesUpSignalsTheReaderBehindIt() {
        Needs.of(store).signalsInOrder();
        SpiClient carol = newClient();
        read(alice);
        bob.queue(key);
        queueToRead(carol, Waiting.NEW);

        bob.withdraw(key, bob.newToken());

        assertSignalled(carol);
        assertThat(tryToRead(carol)).isInstanceOf(Granted.class);
    }

    @Test
    void tellsEachReaderThatAnotherInstanceWaits() {
        Needs.of(store).signalsInOrder();
        SpiClient carol = newClient();
        read(alice);
        read(bob);
        read(alice);

        carol.queue(key);

        await().untilAsserted(() -> {
            assertThat(alice.wanted()).containsExactly(key);
            assertThat(bob.wanted()).containsExactly(key);
        });
        assertThat(carol.wanted()).isEmpty();
    }

    @Test
    void refusesMoreReadersThanThereAreSlots() {
        for (int i = 0; i < Slots.OF_READERS.count(); i++) {
            read(alice);
        }

        assertThat(tryToRead(bob)).isInstanceOf(Contended.class);
    }

    @Test
    void anOperatorSeesEachReader() {
        Reader first = read(alice);
        Reader second = read(bob);
        newClient().queue(key);

        StoredLock.Read seen = (StoredLock.Read) inspect(0);

        assertThat(seen.readers()).containsOnlyKeys(first.grant.slot(), second.grant.slot());
        assertThat(seen.waitingInstances()).isEqualTo(1);
        for (Reader each : List.of(first, second)) {
            StoredLock.Held hold = seen.readers().get(each.grant.slot());
            assertThat(hold.holder()).hasValue(new LockHolder(each.token.instance()));
            assertThat(hold.fencingToken()).isEqualTo(each.grant.fencingToken());
            assertThat(hold.remainingLease())
                    .hasValueSatisfying(left -> assertThat(left).isPositive().isLessThanOrEqualTo(LEASE));
            assertThat(inspect(each.grant.slot())).isInstanceOf(StoredLock.Held.class);
        }
        first.release(key);
        assertThat(((StoredLock.Read) inspect(0)).readers()).containsOnlyKeys(second.grant.slot());
        second.release(key);
        assertThat(inspect(0)).isInstanceOf(StoredLock.Free.class);
    }

    @Test
    void anOperatorTakesTheLockFromOneReaderAtATime() {
        Needs.of(store).signalsInOrder();
        Reader first = read(alice);
        Reader second = read(alice);
        bob.queue(key);
        assertThat(revoke(0, second.grant.fencingToken() + 1)).isInstanceOfSatisfying(Revocation.Stale.class, stale -> {
            assertThat(stale.found()).isInstanceOf(StoredLock.Read.class);
        });

        assertThat(revoke(0, first.grant.fencingToken())).isInstanceOf(Revocation.Revoked.class);

        assertThat(first.renew(key, LEASE)).isInstanceOf(RenewResult.NotHeld.class);
        assertThat(second.renew(key, LEASE)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(tryToWrite(bob)).isInstanceOf(Contended.class);
        assertNotSignalled(bob);
        assertThat(revoke(second.grant.slot(), second.grant.fencingToken())).isInstanceOf(Revocation.Revoked.class);
        assertSignalled(bob);
        assertThat(tryToWrite(bob)).isInstanceOf(Granted.class);
        await().untilAsserted(() -> assertThat(alice.revoked())
                .containsExactly(key + "@" + first.token.fingerprint(), key + "@" + second.token.fingerprint()));
    }

    private StoredLock inspect(int slot) {
        return SpiClient.answer(bob.backend().inspect(key, slot));
    }

    private Revocation revoke(int slot, long fencingToken) {
        return SpiClient.answer(bob.backend().revoke(key, slot, fencingToken));
    }
}
