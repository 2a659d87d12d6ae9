package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A release wakes only the application that has waited longest. */
public abstract class WakeUpContract extends BackendContract {

    private static final Duration LONG_PATIENCE = LEASE;

    private SpiClient carol;

    public WakeUpContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void connectAThird() {
        Needs.of(store).signalsInOrder();
        carol = newClient();
    }

    @Test
    void signalsOnlyTheLongestWaitingApplication() {
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);
        carol.queue(key);

        held.release();

        assertSignalled(bob);
        assertNotSignalled(carol);
        assertNotSignalled(alice);
    }

    @Test
    void signalsTheNextApplicationWithTheNextRelease() {
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);
        carol.queue(key);
        held.release();
        assertSignalled(bob);

        bob.hold(key, LEASE).release();

        assertSignalled(carol);
    }

    @Test
    void keepsThePlaceOfAnApplicationThatSendsItsPositionAgain() {
        SpiHold held = alice.hold(key, LEASE);
        long first = bob.queue(key);
        carol.queue(key);

        assertPlacedAgain(first, bob.queue(key, bob.newToken(), new Waiting(first, LONG_PATIENCE)));
        held.release();

        assertSignalled(bob);
        assertNotSignalled(carol);
    }

    @Test
    void restoresThePlaceOfASignalledApplicationThatLosesTheRace() {
        Needs.of(store).newcomersAreLetIn();
        SpiHold held = alice.hold(key, LEASE);
        long first = bob.queue(key);
        carol.queue(key);
        held.release();
        assertSignalled(bob);
        SpiHold barged = alice.hold(key, LEASE);

        bob.queue(key, bob.newToken(), new Waiting(first, LONG_PATIENCE));
        barged.release();

        assertThat(carol.signals()).isEmpty();
        await().untilAsserted(() -> assertThat(bob.signals()).hasSize(2));
    }

    @Test
    void givesLaterApplicationsLaterPositions() {
        alice.hold(key, LEASE);

        long first = bob.queue(key);
        long second = carol.queue(key);

        assertThat(first).isGreaterThan(Waiting.NEW);
        assertThat(second).isGreaterThan(first);
    }

    @Test
    void doesNotSignalAnApplicationThatOnlyTried() {
        SpiHold held = alice.hold(key, LEASE);
        bob.tryOnce(key, bob.newToken(), LEASE);

        held.release();

        assertNotSignalled(bob);
    }

    @Test
    void signalsTheNextApplicationWhenTheFirstHasWithdrawn() {
        SpiHold held = alice.hold(key, LEASE);
        LockToken token = bob.newToken();
        bob.queue(key, token, new Waiting(Waiting.NEW, LONG_PATIENCE));
        carol.queue(key);

        bob.withdraw(key, token);
        held.release();

        assertSignalled(carol);
        assertNotSignalled(bob);
    }

    @Test
    void signalsTheNextApplicationWhenTheSignalledOneWithdraws() {
        SpiHold held = alice.hold(key, LEASE);
        LockToken token = bob.newToken();
        bob.queue(key, token, new Waiting(Waiting.NEW, LONG_PATIENCE));
        carol.queue(key);
        held.release();
        assertSignalled(bob);

        bob.withdraw(key, token);

        assertSignalled(carol);
    }

    @Test
    void signalsAWaitingApplicationWhenAGrantedAttemptIsWithdrawn() {
        SpiHold held = alice.hold(key, LEASE);
        carol.queue(key);

        alice.withdraw(key, held.token());

        assertSignalled(carol);
    }

    @Test
    void doesNotSignalAnApplicationThatGotTheLock() {
        Waiting place = new Waiting(queueBehindAShortLease(), LONG_PATIENCE);
        LockToken token = bob.newToken();
        AtomicReference<AcquireResult> granted = new AtomicReference<>();
        letPass(QUEUED_LEASE);
        await().until(() -> {
            granted.set(bob.tryOrWait(key, token, LEASE, place));
            return granted.get() instanceof AcquireResult.Granted;
        });
        int before = bob.signals().size(); // a store may signal the end of a lease

        bob.release(key, token, fencingTokenOf(granted.get()));

        awaitMessages(bob);
        assertThat(bob.signals()).hasSize(before);
    }

    @Test
    void signalsOnceForARepeatedRelease() {
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);
        carol.queue(key);

        held.release();
        held.release();

        assertSignalled(bob);
        assertNotSignalled(carol);
    }

    @Test
    void signalsNobodyWhenANonOwnerReleases() {
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);

        carol.release(key, carol.newToken(), held.fencingToken());

        assertNotSignalled(bob);
    }

    @Test
    void signalsOnlyTheWaiterOfTheReleasedKey() {
        SpiHold held = alice.hold(key, LEASE);
        SpiHold other = alice.hold(key + ":other", LEASE);
        bob.queue(key);
        carol.queue(key + ":other");

        held.release();
        assertSignalled(bob);
        assertNotSignalled(carol);

        other.release();
        await().untilAsserted(() -> assertThat(carol.signals()).containsExactly(key + ":other"));
    }

    @Test
    void queuesAReleasingOwnerThatStillWaitsBehindTheOthers() {
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);
        carol.queue(key);

        assertThat(alice.releaseAndQueue(held)).isEqualTo(new ReleaseResult.Released(1));
        assertSignalled(bob);
        bob.hold(key, LEASE).release();
        assertSignalled(carol);
        bob.awaitExecution(key);
        assertThat(alice.signals()).isEmpty();
        carol.hold(key, LEASE).release();

        assertSignalled(alice);
    }

    @Test
    void doesNotQueueAReleasingOwnerWhenNobodyElseWaits() {
        SpiHold held = alice.hold(key, LEASE);

        assertThat(alice.releaseAndQueue(held)).isEqualTo(new ReleaseResult.Released(0));
        bob.hold(key, LEASE).release();

        assertNotSignalled(alice);
    }

    @Test
    void skipsTheFormerPlaceOfAReleasingOwnerThatStillWaits() {
        SpiHold held = alice.hold(key, LEASE);
        alice.queue(key);
        bob.queue(key);

        assertThat(alice.releaseAndQueue(held)).isEqualTo(new ReleaseResult.Released(1));

        assertSignalled(bob);
        assertNotSignalled(alice);
        bob.hold(key, LEASE).release();
        assertSignalled(alice);
    }

    @Test
    void tellsTheOwnerOnceThatAnotherApplicationWaits() {
        Needs.of(store).manyFencingTokens();
        alice.hold(key, LEASE);
        bob.queue(key);
        bob.queue(key);
        carol.queue(key);

        await().untilAsserted(() -> assertThat(alice.wanted()).isNotEmpty());
        List.of(alice, bob, carol).forEach(this::awaitMessages);
        assertThat(alice.wanted()).containsExactly(key);
        assertThat(bob.wanted()).isEmpty();
        assertThat(carol.wanted()).isEmpty();
        assertThat(alice.signals()).isEmpty();
    }

    @Test
    void tellsTheOwnerThatAnotherApplicationWaitsEvenIfItsOwnWaitsFirst() {
        Needs.of(store).manyFencingTokens();
        alice.hold(key, LEASE);
        alice.queue(key);
        assertNotWanted(alice);

        bob.queue(key);

        await().untilAsserted(() -> assertThat(alice.wanted()).contains(key));
    }

    @Test
    void tellsANewOwnerThatTheSignalledApplicationWaitsAgain() {
        Needs.of(store).manyFencingTokens();
        SpiHold held = alice.hold(key, LEASE);
        bob.queue(key);
        held.release();
        assertSignalled(bob);
        carol.hold(key, LEASE);

        bob.queue(key);

        await().untilAsserted(() -> assertThat(carol.wanted()).contains(key));
    }

    @Test
    void doesNotTellTheOwnerOfAnApplicationThatOnlyTries() {
        alice.hold(key, LEASE);

        assertHeldBySomebodyElse(bob);

        assertNotWanted(alice);
    }

    private void assertNotWanted(SpiClient client) {
        awaitMessages(client);
        assertThat(client.wanted()).isEmpty();
    }
}
