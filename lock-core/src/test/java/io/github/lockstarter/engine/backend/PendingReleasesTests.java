package io.github.lockstarter.engine.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.engine.ManualBackend;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.TimerWheel;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class PendingReleasesTests {

    private static final int MOST = 100;

    private final ManualBackend backend = new ManualBackend();
    private final TimerWheel timer = new TimerWheel(EngineClock.SYSTEM);
    private final PendingReleases pendingReleases =
            new PendingReleases(new BackendCalls(backend), EngineClock.SYSTEM, timer, Duration.ofSeconds(30), MOST);

    @AfterEach
    void stop() {
        timer.close();
    }

    @Test
    void remembersTheLatestOfManyReleasesUntilTheStoreAnswers(CapturedOutput output) {
        backend.refusesReleases = true;
        for (int i = 0; i < MOST + 50; i++) {
            pendingReleases.add(release(i), Duration.ofMinutes(5));
        }
        int triedInVain = backend.log.size();

        backend.refusesReleases = false;
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            backend.answerTheRest();
            List<Object> repeated = List.copyOf(backend.log.subList(triedInVain, backend.log.size()));
            assertThat(repeated).contains(release(MOST + 49));
        });

        List<Object> repeated = List.copyOf(backend.log.subList(triedInVain, backend.log.size()));
        assertThat(repeated).hasSizeLessThanOrEqualTo(MOST).doesNotContain(release(1));
        assertThat(output).containsOnlyOnce("More than 100 locks wait to be released");
    }

    private static ReleaseCommand release(int number) {
        return new ReleaseCommand("order:" + number, new LockToken("instance", number + 1), 0);
    }
}
