package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.contract.LockStore.Signals;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Base of the suites for a backend: a store, two applications and a unique key. */
@Timeout(300)
abstract class BackendContract {

    /** Outlives a test: as long as the longest one may take. */
    static final Duration LEASE = Duration.ofMinutes(5);

    /** Ends within a test. */
    static final Duration SHORT_LEASE = Duration.ofMillis(150);

    /** Ends within a test, but usually not before others have queued behind it. */
    static final Duration QUEUED_LEASE = Duration.ofMillis(500);

    final String key = "contract:" + UUID.randomUUID();
    private final Supplier<? extends LockStore> opening;
    LockStore store;
    SpiClient alice;
    SpiClient bob;

    BackendContract(Supplier<? extends LockStore> opening) {
        this.opening = opening;
    }

    @BeforeEach
    void connectTwoApplications() {
        store = opening.get();
        alice = newClient();
        bob = newClient();
    }

    @AfterEach
    void disconnectAll() {
        store.close();
    }

    SpiClient newClient() {
        SpiClient client = new SpiClient(store.connect());
        // Connecting takes time, and a short lease would count from before it.
        client.withdraw("warm-up", client.newToken());
        return client;
    }

    static long fencingTokenOf(AcquireResult result) {
        assertThat(result).isInstanceOf(AcquireResult.Granted.class);
        return ((AcquireResult.Granted) result).fencingToken();
    }

    static long othersWaitingAt(AcquireResult result) {
        assertThat(result).isInstanceOf(AcquireResult.Granted.class);
        return ((AcquireResult.Granted) result).othersWaiting();
    }

    /** Skips the rest of the test if the store reports none. */
    Duration remainingLeaseOf(AcquireResult result) {
        Needs.of(store).leasesPerLock();
        assertThat(result).isInstanceOf(AcquireResult.Contended.class);
        return ((AcquireResult.Contended) result).remainingLease().orElseThrow();
    }

    void assertHeldBySomebodyElse(SpiClient asking) {
        assertThat(asking.tryOnce(key, asking.newToken(), LEASE)).isInstanceOf(AcquireResult.Contended.class);
    }

    /** Lets time pass for the store, where a test can; otherwise waits. */
    void letPass(Duration time) {
        store.clock().ifPresentOrElse(clock -> clock.letPass(time), () -> await().pollDelay(time)
                .until(() -> true));
    }

    /** Acquires the lock as soon as its short lease is over. */
    SpiHold holdWhenFree(SpiClient client) {
        store.clock().ifPresent(clock -> clock.letPass(QUEUED_LEASE));
        SpiHold[] hold = new SpiHold[1];
        await().pollInterval(Duration.ofMillis(10)).untilAsserted(() -> {
            hold[0] = client.hold(key, LEASE);
        });
        return hold[0];
    }

    /**
     * Alice has the lock, and bob queues behind her until her lease ends; again, with a longer one, if it was over too
     * early.
     *
     * @return his position
     */
    long queueBehindAShortLease() {
        for (Duration lease = QUEUED_LEASE; ; lease = lease.multipliedBy(2)) {
            alice.hold(key, lease);
            LockToken token = bob.newToken();
            AcquireResult result = bob.tryOrWait(key, token, LEASE, new Waiting(Waiting.NEW, LEASE));
            if (result instanceof AcquireResult.Contended contended) {
                return contended.position();
            }
            bob.release(key, token, fencingTokenOf(result));
        }
    }

    /** The client was signalled, if the store sends signals. */
    void assertSignalled(SpiClient client) {
        if (store.signals() == Signals.NONE) {
            return;
        }
        await().untilAsserted(() -> assertThat(client.signals()).containsExactly(key));
    }

    void assertNotSignalled(SpiClient client) {
        awaitMessages(client);
        assertThat(client.signals()).isEmpty();
    }

    /** All messages that have been sent to the client; not on a store without signals. */
    void awaitMessages(SpiClient client) {
        client.awaitMessages(client == alice ? bob : alice);
    }

    /** The repeated attempt got the same grant, or a greater fencing token where the store allows it. */
    void assertGrantedAgain(AcquireResult first, AcquireResult again) {
        if (store.answersTheSameAgain()) {
            assertThat(again).isEqualTo(first).isInstanceOf(AcquireResult.Granted.class);
        } else {
            assertThat(fencingTokenOf(again)).isGreaterThanOrEqualTo(fencingTokenOf(first));
        }
    }

    /** The answer to a repeated release of a lock that is still free. */
    void assertReleasedAgain(ReleaseResult again) {
        ReleaseResult expected =
                store.remembersReleases() ? new ReleaseResult.Released(0) : new ReleaseResult.NotHeld();
        if (store.answersTheSameAgain()) {
            assertThat(again).isEqualTo(expected);
        } else { // nodes of a quorum may execute the first release late
            assertThat(again).isIn(expected, new ReleaseResult.Released(0));
        }
    }

    /** The position is unchanged; with a quorum each node counts its own. */
    void assertPlacedAgain(long first, long again) {
        if (store.answersTheSameAgain()) {
            assertThat(again).isEqualTo(first);
        } else {
            assertThat(again).isPositive();
        }
    }
}
