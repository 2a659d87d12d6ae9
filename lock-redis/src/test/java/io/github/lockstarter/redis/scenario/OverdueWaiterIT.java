package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A short wait behind longer ones of the same instance, while Redis does not answer. */
@Tag(Effort.TIMING)
class OverdueWaiterIT extends RedisScenario {

    /** Long enough that a busy machine does not need twice as long. */
    private static final Duration ANSWER_TIMEOUT = ofSeconds(2);

    @Override
    RedisSettings settings() {
        return RedisStore.guarding(ofSeconds(2), ANSWER_TIMEOUT);
    }

    @Test
    void endsAShortWaitBehindLongerOnesWithinTheCommandTimeout() throws Exception {
        Application holder = warmedUp(newApplication());
        TcpProxy proxy = newProxy();
        Application waiting = warmedUp(newApplicationBehind(proxy));
        try (LockHandle held = holder.locks().acquire(request)) {
            assertThat(held.isHeld()).isTrue();
            List<Future<?>> longer = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Duration wait = ofMillis(3_000 + 500L * i);
                longer.add(elsewhere(() -> waiting.locks().tryAcquire(request.maxWait(wait))));
                letPass(ofMillis(20));
            }
            letPass(ofMillis(400));
            proxy.stallReplies();
            letPass(ofMillis(250));
            Duration took = timeOf(() -> {
                try {
                    waiting.locks().tryAcquire(request.maxWait(ofMillis(50)));
                } catch (LockBackendException e) {
                    // No answer, so the outcome is unknown.
                }
            });
            proxy.flow();
            System.out.println("A wait of 50 ms, with a command timeout of " + ANSWER_TIMEOUT.toMillis() + " ms, took "
                    + took.toMillis() + " ms");
            assertThat(took).isLessThan(ofMillis(50).plus(ANSWER_TIMEOUT).plusMillis(1_500));
            for (Future<?> one : longer) {
                await().atMost(Patience.TIME).until(one::isDone);
            }
        }
    }
}
