package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.testing.Effort;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The fencing tokens of a key grow strictly, however the previous hold ended. */
public abstract class FencingContract extends BackendContract {

    private static final long BEYOND_EXACT_DOUBLES = 1L << 53;

    private static final int GRANTS = Effort.of(70, 200);

    public FencingContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void tokensGrowWithEveryGrantToAnyClient() {
        List<Long> granted = new ArrayList<>();
        for (int i = 0; i < GRANTS; i++) {
            SpiHold held = (i % 3 == 0 ? alice : bob).hold(key, LEASE);
            granted.add(held.fencingToken());
            held.release();
        }

        assertThat(granted).isSorted().doesNotHaveDuplicates();
        assertThat(granted).allMatch(token -> token > 0 && token < BEYOND_EXACT_DOUBLES);
    }

    @Test
    void tokensGrowAfterALeaseHasEnded() {
        long before = alice.hold(key, SHORT_LEASE).fencingToken();

        assertThat(holdWhenFree(bob).fencingToken()).isGreaterThan(before);
    }

    @Test
    void tokensGrowAfterAWithdrawnGrant() {
        SpiHold withdrawn = alice.hold(key, LEASE);
        alice.withdraw(key, withdrawn.token());

        assertThat(bob.hold(key, LEASE).fencingToken()).isGreaterThan(withdrawn.fencingToken());
    }

    @Test
    void tokensExceedTheFloorThatAClientSends() {
        Needs.of(store).anyFencingTokenIsExceeded();
        SpiHold held = alice.hold(key, LEASE);
        held.release();
        long floor = held.fencingToken() + 1_000_000_000_000L;

        long above = fencingTokenOf(bob.tryAbove(key, bob.newToken(), LEASE, floor));

        assertThat(above).isGreaterThan(floor).isLessThan(BEYOND_EXACT_DOUBLES);
    }

    @Test
    void tokensKeepGrowingForClientsThatSendNoFloor() {
        Needs.of(store).anyFencingTokenIsExceeded();
        SpiHold first = alice.hold(key, LEASE);
        first.release();
        long floor = first.fencingToken() + 1_000_000_000_000L;
        LockToken token = bob.newToken();
        long above = fencingTokenOf(bob.tryAbove(key, token, LEASE, floor));
        bob.release(key, token, above);

        assertThat(alice.hold(key, LEASE).fencingToken()).isGreaterThan(above);
    }

    @Test
    void tokensExceedAllTokensOfTheGrantBefore() {
        Needs.of(store).manyFencingTokens();
        long last = 0;
        for (int i = 0; i < GRANTS; i++) {
            SpiClient client = i % 3 == 0 ? alice : bob;
            int many = 1 + i * 23 % AcquireCommand.MAX_FENCING_TOKENS;
            LockToken token = client.newToken();
            AcquireResult first = client.tryMany(key, token, many, 0);

            assertThat(fencingTokenOf(first)).isGreaterThan(last);
            AcquireResult again = client.tryMany(key, token, many, 0);
            assertGrantedAgain(first, again);
            last = fencingTokenOf(again) + many - 1;
            client.release(key, token, last);
        }
        assertThat(last).isLessThan(BEYOND_EXACT_DOUBLES);
    }

    @Test
    void tokensExceedAllTokensOfAGrantFarAheadOfTheClock() {
        Needs.of(store).manyFencingTokens();
        long floor = fencingTokenOf(alice.tryMany(key, alice.newToken(), 1, 0)) + 1_000_000_000_000L;
        String other = key + ":other";
        LockToken token = alice.newToken();
        long first = fencingTokenOf(alice.tryMany(other, token, 64, floor));

        assertThat(first).isGreaterThan(floor);
        alice.release(other, token, first + 63);
        assertThat(fencingTokenOf(bob.tryMany(other, bob.newToken(), 64, 0))).isGreaterThan(first + 63);
    }

    @Test
    void tokensExceedAllTokensOfALeaseThatHasEnded() {
        Needs.of(store).manyFencingTokens();
        long floor = alice.hold(key + ":other", LEASE).fencingToken() + 1_000_000_000_000L;
        AcquireResult result = SpiClient.answer(alice.backend()
                .attemptAcquire(new AcquireCommand(key, alice.newToken(), SHORT_LEASE, floor, 64, Optional.empty())));

        assertThat(holdWhenFree(bob).fencingToken()).isGreaterThan(fencingTokenOf(result) + 63);
    }
}
