package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
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
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks with several permits: each slot is a lock of its own, and an attempt chooses one. */
public abstract class PermitsContract extends BackendContract {

    private static final int PERMITS = 3;

    public PermitsContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void needsPermits() {
        Needs.of(store).permits();
    }

    private AcquireResult tryPermit(SpiClient client, LockToken token, int permits) {
        return SpiClient.answer(client.backend()
                .attemptAcquire(new AcquireCommand(
                        key, token, LEASE, 0, 1, Optional.empty(), Duration.ZERO, permits, Optional.empty())));
    }

    private Held hold(SpiClient client) {
        LockToken token = client.newToken();
        AcquireResult result = tryPermit(client, token, PERMITS);
        assertThat(result).isInstanceOf(Granted.class);
        return new Held(client, token, (Granted) result);
    }

    private record Held(SpiClient client, LockToken token, Granted grant) {

        ReleaseResult release(String key, Slots slots) {
            return SpiClient.answer(client.backend()
                    .releaseToken(new ReleaseCommand(
                            key, token, grant.fencingToken(), Wait.UNCHANGED, Duration.ZERO, slots)));
        }

        RenewResult renew(String key) {
            return SpiClient.answer(client.backend()
                    .renewLeases(List.of(new RenewCommand(key, token, LEASE, grant.fencingToken(), grant.slot())))
                    .get(0));
        }
    }

    @Test
    void grantsEachSlotOnce() {
        List<Held> held = List.of(hold(alice), hold(bob), hold(alice));

        assertThat(held).extracting(each -> each.grant.slot()).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(held).extracting(each -> each.grant.fencingToken()).doesNotHaveDuplicates();
        assertThat(tryPermit(bob, bob.newToken(), PERMITS)).isInstanceOf(AcquireResult.Contended.class);
        Held released = held.get(1);
        assertThat(released.release(key, Slots.one(released.grant.slot()))).isInstanceOf(ReleaseResult.Released.class);

        Held next = hold(alice);
        assertThat(next.grant.slot()).isEqualTo(released.grant.slot());
        assertThat(next.grant.fencingToken()).isGreaterThan(released.grant.fencingToken());
    }

    /** The client sends an attempt twice if a connection breaks; meanwhile another slot may be free. */
    @Test
    void aRepeatedAttemptGetsTheSameSlot() {
        Held first = hold(alice);
        Held second = hold(bob);
        first.release(key, Slots.one(first.grant.slot()));

        assertThat(tryPermit(bob, second.token, PERMITS)).isEqualTo(second.grant);
        hold(alice);
        hold(alice);
        assertThat(tryPermit(alice, alice.newToken(), PERMITS)).isInstanceOf(AcquireResult.Contended.class);
    }

    @Test
    void grantsEachSlotToOneOfManyConcurrentAttempts() {
        List<CompletionStage<AcquireResult>> attempts = IntStream.range(0, 40)
                .mapToObj(i -> i % 2 == 0 ? alice : bob)
                .map(client -> client.backend()
                        .attemptAcquire(new AcquireCommand(
                                key,
                                client.newToken(),
                                LEASE,
                                0,
                                1,
                                Optional.empty(),
                                Duration.ZERO,
                                PERMITS,
                                Optional.empty())))
                .toList();

        List<Integer> slots = attempts.stream()
                .map(SpiClient::answer)
                .filter(Granted.class::isInstance)
                .map(result -> ((Granted) result).slot())
                .toList();
        assertThat(slots).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void aLockWithOnePermitTakesTheFirstSlot() {
        SpiHold lock = alice.hold(key, LEASE);

        assertThat(hold(bob).grant.slot()).isNotZero();
        assertThat(hold(bob).grant.slot()).isNotZero();
        assertThat(tryPermit(bob, bob.newToken(), PERMITS)).isInstanceOf(AcquireResult.Contended.class);
        lock.release();
        assertThat(hold(bob).grant.slot()).isZero();
        assertHeldBySomebodyElse(alice);
    }

    @Test
    void anAttemptUsesOnlyTheSlotsBelowItsOwnLimit() {
        Held highest = new Held(alice, alice.newToken(), null);
        hold(alice);
        hold(alice);
        hold(alice);

        assertThat(tryPermit(bob, bob.newToken(), PERMITS)).isInstanceOf(AcquireResult.Contended.class);
        AcquireResult fourth = tryPermit(alice, highest.token, PERMITS + 1);
        assertThat(fourth).isInstanceOf(Granted.class);
        assertThat(((Granted) fourth).slot()).isEqualTo(PERMITS);
    }

    @Test
    void renewsAndReleasesTheSlotOfTheToken() {
        Held first = hold(alice);
        Held second = hold(alice);

        assertThat(first.renew(key)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(second.renew(key)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(second.release(key, Slots.one(second.grant.slot()))).isInstanceOf(ReleaseResult.Released.class);
        assertThat(second.renew(key)).isInstanceOf(RenewResult.NotHeld.class);
        assertThat(first.renew(key)).isInstanceOf(RenewResult.Renewed.class);
    }

    /** The release of an attempt whose answer was lost. */
    @Test
    void aReleaseFindsTheSlotThatItsTokenHas() {
        Held first = hold(alice);
        Held second = hold(bob);
        Held third = hold(bob);

        assertThat(third.release(key, Slots.first(PERMITS))).isInstanceOf(ReleaseResult.Released.class);

        assertThat(first.renew(key)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(second.renew(key)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(third.renew(key)).isInstanceOf(RenewResult.NotHeld.class);
        assertThat(third.release(key, Slots.first(PERMITS))).isNotInstanceOf(ReleaseResult.Unknown.class);
        assertThat(hold(alice).grant.slot()).isEqualTo(third.grant.slot());
    }

    @Test
    void theReleaseOfAnySlotSignalsAWaitingApplication() {
        Held first = hold(alice);
        Held second = hold(alice);
        Held third = hold(alice);
        queue(bob);

        Held last = List.of(first, second, third).stream()
                .filter(each -> each.grant.slot() == PERMITS - 1)
                .findFirst()
                .orElseThrow();
        last.release(key, Slots.one(last.grant.slot()));

        assertSignalled(bob);
    }

    /** Each of them may hand over to its own waiters, which is to end. */
    @Test
    void tellsEachOwnerOnceThatAnotherApplicationWaits() {
        Needs.of(store).signalsInOrder();
        Needs.of(store).manyFencingTokens();
        SpiClient carol = newClient();
        hold(alice);
        hold(bob);
        hold(alice);

        queue(carol);

        await().untilAsserted(() -> assertThat(List.of(alice.wanted(), bob.wanted()))
                .allSatisfy(wanted -> assertThat(wanted).isNotEmpty()));
        List.of(alice, bob, carol).forEach(this::awaitMessages);
        assertThat(List.of(alice.wanted(), bob.wanted(), carol.wanted()))
                .containsExactly(List.of(key), List.of(key), List.of());
    }

    /** A waiting owner does not learn of another owner on its own. */
    @Test
    void tellsAWaitingOwnerThatAnotherOwnerWaits() {
        Needs.of(store).signalsInOrder();
        Needs.of(store).manyFencingTokens();
        hold(alice);
        hold(alice);
        hold(bob);

        queue(alice);
        await().untilAsserted(() -> assertThat(bob.wanted()).contains(key));
        assertThat(alice.wanted()).isEmpty();
        queue(bob);

        await().untilAsserted(() -> assertThat(alice.wanted()).contains(key));
    }

    /** Another application may wait for the freed slot. */
    @Test
    void passesTheSignalForASlotOnWhereTheWaitEnds() {
        Needs.of(store).signalsInOrder();
        Held first = hold(alice);
        Held second = hold(alice);
        Held third = hold(alice);
        assertThat(List.of(first.grant.slot(), second.grant.slot(), third.grant.slot()))
                .containsExactly(0, 1, 2);
        SpiClient carol = newClient();
        queue(bob);
        queue(carol);
        third.release(key, Slots.one(2));
        assertSignalled(bob);

        SpiClient.answer(bob.backend().releaseToken(ReleaseCommand.endOfWait(key, bob.newToken(), 2, Waiting.NEW)));

        assertSignalled(carol);
    }

    /** The instances before it have attempted since; they would pass the signal around. */
    @Test
    void forwardsTheSignalForASlotBehindTheOwnPlaceOnly() {
        Needs.of(store).signalsInOrder();
        hold(alice);
        hold(alice);
        Held third = hold(alice);
        SpiClient carol = newClient();
        SpiClient dave = newClient();
        long first = queue(bob);
        long second = queue(carol);
        queue(dave);
        third.release(key, Slots.one(2));
        assertSignalled(bob);
        queue(bob, first, PERMITS - 1);

        SpiClient.answer(carol.backend().releaseToken(ReleaseCommand.endOfWait(key, carol.newToken(), 2, second)));

        assertSignalled(dave);
        assertThat(bob.signals()).hasSize(1);
    }

    private long queue(SpiClient client) {
        return queue(client, Waiting.NEW, PERMITS);
    }

    private long queue(SpiClient client, long position, int permits) {
        Optional<Waiting> place = Optional.of(new Waiting(position, LEASE));
        AcquireResult result = SpiClient.answer(client.backend()
                .attemptAcquire(new AcquireCommand(
                        key, client.newToken(), LEASE, 0, 1, place, Duration.ZERO, permits, Optional.empty())));
        assertThat(result).isInstanceOf(AcquireResult.Contended.class);
        return ((AcquireResult.Contended) result).position();
    }

    @Test
    void anOperatorSeesAndRevokesEachSlot() {
        List<Held> held = List.of(hold(alice), hold(alice));
        int ofSlotOne = held.get(0).grant.slot() == 1 ? 0 : 1;
        Held second = held.get(ofSlotOne);
        Held other = held.get(1 - ofSlotOne);

        StoredLock seen = SpiClient.answer(bob.backend().inspect(key, 1));
        assertThat(seen).isInstanceOf(StoredLock.Held.class);
        assertThat(seen.fencingToken()).isEqualTo(second.grant.fencingToken());
        assertThat(SpiClient.answer(bob.backend().inspect(key, 2))).isInstanceOf(StoredLock.Free.class);
        assertThat(SpiClient.answer(bob.backend().revoke(key, 0, seen.fencingToken())))
                .isInstanceOf(Revocation.Stale.class);

        assertThat(SpiClient.answer(bob.backend().revoke(key, 1, seen.fencingToken())))
                .isEqualTo(new Revocation.Revoked());

        assertThat(second.renew(key)).isInstanceOf(RenewResult.NotHeld.class);
        assertThat(other.renew(key)).isInstanceOf(RenewResult.Renewed.class);
    }
}
