package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHolder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class LockDoubtLogTests {

    private static final Duration HELD = Duration.ofSeconds(3);

    private final AtomicLong now = new AtomicLong();
    private final LockLog log = new LockLog(now::get);

    private void doubt(long fencingToken) {
        log.onEvent(new LockEvent.InDoubt("ship", "order:" + fencingToken, fencingToken, HELD));
    }

    private void confirm(long fencingToken) {
        log.onEvent(new LockEvent.Confirmed("ship", "order:" + fencingToken, fencingToken, Duration.ofMillis(1_250)));
    }

    private static List<String> warnings(CapturedOutput output) {
        return output.toString().lines().filter(line -> line.contains("WARN")).toList();
    }

    /** Red where each lock in doubt is a warning. */
    @Test
    void warnsOnceAboutManyLocksInDoubt(CapturedOutput output) {
        LongStream.rangeClosed(1, 1_000).forEach(this::doubt);
        LongStream.rangeClosed(1, 1_000).forEach(this::confirm);

        assertThat(warnings(output)).hasSize(2);
        assertThat(warnings(output).get(0)).contains("Lock 'order:1' (fencing token 1), held for 3s, is in doubt");
        assertThat(warnings(output).get(1))
                .contains("Lock 'order:1' (fencing token 1) is held: the lock store confirmed it after 1.3s");
    }

    @Test
    void warnsAgainAfterAMinute(CapturedOutput output) {
        doubt(1);
        now.addAndGet(TimeUnit.SECONDS.toNanos(59));
        doubt(2);
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        doubt(3);

        assertThat(warnings(output)).hasSize(2).last().asString().contains("order:3");
    }

    @Test
    void warnsOncePerMinuteAboutALockRepeatedlyInDoubt(CapturedOutput output) {
        for (int doubts = 0; doubts < 6; doubts++) {
            doubt(1);
            confirm(1);
            now.addAndGet(TimeUnit.SECONDS.toNanos(10));
        }
        assertThat(warnings(output)).hasSize(2);

        doubt(1);
        confirm(1);
        assertThat(warnings(output)).hasSize(4);
    }

    @Test
    void namesTheInstanceThatALockWasTakenOverFrom(CapturedOutput output) {
        LockHolder from = new LockHolder(
                "3f2a91c0",
                Optional.of("pod-7"),
                Optional.of("orders"),
                Optional.of("worker-7"),
                Optional.of(Instant.EPOCH));
        log.onEvent(new LockEvent.Acquired(
                "ship", "order:42", 17, Duration.ofSeconds(1), 3, Path.TAKEN_OVER, Optional.of(from)));

        assertThat(warnings(output))
                .singleElement()
                .asString()
                .contains("Took lock 'order:42' (fencing token 17) over"
                        + " from instance 3f2a91c0 (pod-7/orders) (thread 'worker-7'), held since 1970-01-01T00:00:00Z,"
                        + " which is no longer connected");
    }

    @Test
    void logsNothingWhenTheLockWasFree(CapturedOutput output) {
        log.onEvent(new LockEvent.Acquired(
                "ship", "order:42", 17, Duration.ofSeconds(1), 1, Path.UNCONTENDED, Optional.empty()));

        assertThat(warnings(output)).isEmpty();
    }
}
