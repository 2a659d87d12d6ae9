package io.github.lockstarter.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.heartbeat.Certainty;
import io.github.lockstarter.engine.queue.AcquireAttempt;
import io.github.lockstarter.engine.queue.Acquisition;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a thread finds of its own. */
class HoldsTests {

    private static final String KEY = "order:42";

    private final ResolvedRequest terms = new ResolvedRequest(
            "name",
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            Renewal.ON,
            Duration.ZERO,
            Duration.ZERO,
            Optional.empty(),
            Duration.ZERO);
    private final HoldOwner thread = HoldOwner.currentThread();
    private final Holds holds = new Holds();

    /** Its thread may have given up: then the hold is about to be given back. */
    @Test
    void doesNotShowAThreadWhatItHasNotTaken() {
        Hold hold = grant(1);
        holds.add(hold);
        assertThat(holds.of(thread, KEY)).isEmpty();
        hold.announced = true;
        assertThat(holds.of(thread, KEY)).contains(hold);
    }

    @Test
    void keepsNothingForAThreadThatNeverTookIt() {
        Hold hold = grant(1);
        holds.add(hold);
        hold.lifecycle.lose(LossCause.LEASE_EXPIRED);
        holds.lost(hold);
        assertThat(holds.of(thread, KEY)).isEmpty();
        assertThat(holds.size()).isZero();
    }

    @Test
    void keepsForItsThreadWhatWasDisplaced() {
        Hold first = taken(1);
        Hold second = taken(2);
        holds.add(first);
        holds.add(second);
        assertThat(holds.size()).isEqualTo(2);
        holds.remove(second);
        assertThat(holds.of(thread, KEY)).contains(first);
        holds.remove(first);
        assertThat(holds.of(thread, KEY)).isEmpty();
        assertThat(holds.size()).isZero();
    }

    /** A late grant that no caller wants: it is given back at once. */
    @Test
    void showsAThreadWhatWasDisplacedBeforeItTookIt() {
        Hold first = grant(1);
        Hold unwanted = grant(2);
        holds.add(first);
        holds.add(unwanted);
        holds.remove(unwanted);

        first.announced = true;
        holds.announced(first);

        assertThat(holds.of(thread, KEY)).contains(first);
        holds.remove(first);
        assertThat(holds.of(thread, KEY)).isEmpty();
        assertThat(holds.size()).isZero();
    }

    @Test
    void findsTheHoldOfAKeyAlsoWhereItIsDisplaced() {
        holds.add(taken(1));
        Hold second = taken(2);
        holds.add(second);

        assertThat(holds.find(KEY))
                .hasValueSatisfying(held -> assertThat(held.fencingToken()).isEqualTo(2));
        holds.remove(second);
        assertThat(holds.find(KEY))
                .hasValueSatisfying(held -> assertThat(held.fencingToken()).isEqualTo(1));
        assertThat(holds.find("order:43")).isEmpty();
    }

    private Hold taken(long sequence) {
        Hold hold = grant(sequence);
        hold.announced = true;
        return hold;
    }

    private Hold grant(long sequence) {
        Moment sent = Moment.now(EngineClock.SYSTEM);
        Acquisition acquisition = new Acquisition(KEY, terms, thread, sent.nanos(), a -> {});
        AcquireAttempt attempt = new AcquireAttempt(acquisition, new LockToken("instance", sequence), Waiting.NEW, 1);
        Grant grant = new Grant(
                new Grant.Asked(attempt.token(), attempt.fencingTokens(), terms, sent, Certainty.BY_LEASE),
                new AcquireResult.Granted(sequence, 0));
        return new Hold(Hold.Spec.first(KEY, grant, sent, terms), acquisition, EngineClock.SYSTEM, each -> {});
    }
}
