package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The time limit for handovers, with default settings. */
class EngineHandOverTimeTests extends EngineInterleavings {

    @Test
    void handsOverForFiftyMillisecondsAtMostWhileAnotherInstanceWaits() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 1);
        engine.acquireAsync(REQUEST);
        letPass(Duration.ofMillis(51)); // time is the bound
        releasing(first);
        assertThat(backend.nextRelease().command().requeue()).isPresent();
    }

    @Test
    void aSecondNoticeDoesNotExtendTheTime() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 1);
        engine.acquireAsync(REQUEST);
        letPass(Duration.ofMillis(51)); // time is the bound
        backend.wanted(KEY);
        releasing(first);
        assertThat(backend.nextRelease().command().requeue()).isPresent();
    }
}
