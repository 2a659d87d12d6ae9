package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.settings.EngineSettings;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WaiterTests {

    private static final long STARTED_AT = 1_000;

    private final Waiter trying = waiter(Duration.ZERO);

    private static Waiter waiter(Duration wait) {
        LockRequest request = LockRequest.of("order:42").waitingUpTo(wait);
        ResolvedRequest terms = ResolvedRequest.of(request, EngineSettings.DEFAULTS);
        return new Waiter(null, terms, HoldOwner.HANDLE, STARTED_AT); // without a key
    }

    private static Attempt attempt(Waiter waiter, long sentAt) {
        return new Attempt(waiter, Optional.empty(), 1, -1, new Moment(sentAt, 0));
    }

    @Test
    void aTryAcceptsTheAnswerToAnAttemptSentDuringItsCall() {
        Waiter other = waiter(Duration.ofSeconds(1));

        assertThat(trying.accepts(attempt(other, STARTED_AT))).isTrue();
        assertThat(trying.accepts(attempt(other, STARTED_AT - 1))).isFalse();
        assertThat(other.accepts(attempt(trying, STARTED_AT - 1))).isTrue();
    }

    /** The event that sends it may have read the clock before the call did. */
    @Test
    void aTryAcceptsTheAnswerToItsOwnAttempt() {
        assertThat(trying.accepts(attempt(trying, STARTED_AT - 1))).isTrue();
    }
}
