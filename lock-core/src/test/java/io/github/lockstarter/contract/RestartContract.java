package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.Revocation;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An application that starts again, here twice in a row, receives the messages to its new id. */
public abstract class RestartContract extends BackendContract {

    private static final int RESTARTS = 2;

    public RestartContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void needSignals() {
        Needs.of(store).signals();
    }

    @Test
    void signalsTheNewIdOfAWaitingApplication() {
        for (int restart = 1; restart <= RESTARTS; restart++) {
            bob.restart();
            assertSignalledAt(key + restart, bob);
        }
    }

    @Test
    void signalsTheLastIdOfAnApplicationThatConnectsAfterwards() {
        SpiClient late = new SpiClient(store.connect());
        late.restart();
        late.restart();

        assertSignalledAt(key, late);
    }

    private void assertSignalledAt(String contended, SpiClient client) {
        SpiHold held = alice.hold(contended, LEASE);
        client.queue(contended);

        held.release();

        await().untilAsserted(() -> assertThat(client.signals()).contains(contended));
    }

    @Test
    void tellsTheNewIdOfAnOwnerThatAnotherApplicationWaits() {
        Needs.of(store).manyFencingTokens();
        for (int restart = 1; restart <= RESTARTS; restart++) {
            String contended = key + restart;
            alice.restart();
            alice.hold(contended, LEASE);

            bob.queue(contended);

            await().untilAsserted(() -> assertThat(alice.wanted()).contains(contended));
        }
    }

    @Test
    void tellsTheNewIdOfAnOwnerOfARevocation() {
        for (int restart = 1; restart <= RESTARTS; restart++) {
            String revoked = key + restart;
            alice.restart();
            SpiHold held = alice.hold(revoked, LEASE);

            assertThat(SpiClient.answer(bob.backend().revoke(revoked, 0, held.fencingToken())))
                    .isInstanceOf(Revocation.Revoked.class);

            await().untilAsserted(() -> assertThat(alice.revoked())
                    .contains(revoked + "@" + held.token().fingerprint()));
        }
    }
}
