package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class StoreCallsTests {

    private static final int MOST = 100;

    private final ManualBackend backend = new ManualBackend();
    private final Queue<TimerEntry> scheduled = new ArrayDeque<>();
    private final Queue<TimerEntry> open = new ArrayDeque<>();
    private final List<Object> received = new ArrayList<>();
    private long now;
    private Runnable onClock = () -> {};
    private long dueNanos;
    private long lastDeadline;
    private final StoreCalls calls = new StoreCalls(
            backend,
            new Outages(backend, StoreEvent.Scope.ALL, this::nanos, event -> received.add(event)),
            new EngineClock(this::nanos, InstantSource.system()),
            new ManualTimer(),
            MOST);

    private long nanos() {
        onClock.run();
        return now;
    }

    /** Fires when the test says so: a release that a probe has tried without success is the latest one again. */
    private final class ManualTimer implements EngineTimer {

        @Override
        public void schedule(TimerEntry entry, long due) {
            if (entry instanceof StoreCalls.OpenCommand) {
                open.add(entry);
                lastDeadline = due;
            } else {
                dueNanos = due;
                scheduled.remove(entry);
                scheduled.add(entry);
            }
        }

        @Override
        public void cancel(TimerEntry entry) {
            open.remove(entry);
        }

        @Override
        public void afterEachTick(Runnable step) {}

        @Override
        public void close() {}
    }

    @Test
    void keepsOnlyTheLatestReleasesUntilTheStoreAnswers(CapturedOutput output) {
        backend.refusesReleases = true;
        for (int i = 0; i < MOST + 50; i++) {
            calls.repeatRelease(release(i), Duration.ofMinutes(5));
        }
        int triedInVain = backend.log.size();

        backend.refusesReleases = false;
        scheduled.remove().fire();
        backend.answerTheRest();

        List<Object> repeated = List.copyOf(backend.log.subList(triedInVain, backend.log.size()));
        assertThat(repeated)
                .hasSizeLessThanOrEqualTo(MOST)
                .contains(release(MOST + 49))
                .doesNotContain(release(1));
        assertThat(output).containsOnlyOnce("More than 100 locks wait to be released");
    }

    @Test
    void sendsOneReleaseAtATimeWhileTheStoreDoesNotAnswer() {
        backend.refusesReleases = true;
        for (int i = 0; i < 20; i++) {
            calls.repeatRelease(release(i), Duration.ofMinutes(5));
        }
        assertThat(backend.log).hasSize(20);
        for (int probe = 1; probe <= 3; probe++) {
            assertThat(scheduled).hasSize(1);
            scheduled.remove().fire();
            assertThat(backend.log).hasSize(20 + probe);
        }

        backend.refusesReleases = false;
        scheduled.remove().fire();
        assertThat(backend.log).as("one probe only").hasSize(24);
        backend.answerTheRest();

        assertThat(backend.log).hasSize(24 + 19);
        assertThat(scheduled).isEmpty();
    }

    @Test
    void releasesAtOnceOnAnotherServerWhileOneDoesNotAnswer() {
        ReleaseCommand down = release(1);
        ReleaseCommand fine = release(2);
        backend.refusesReleases = true;
        calls.repeatRelease(down, Duration.ofMinutes(5));
        backend.refusesReleases = false;

        calls.repeatRelease(fine, Duration.ofMinutes(5));
        assertThat(backend.log).containsExactly(down, fine);
        backend.answerTheRest();

        assertThat(backend.log).containsExactly(down, fine, down);
    }

    /** The network delivers an attempt behind the release, on a connection that was replaced. */
    @Test
    void repeatsTheReleaseOfAnAttemptThatTheStoreMayExecuteLate() {
        calls.repeatRelease(release(1), Duration.ofMinutes(5));
        backend.nextRelease().answer().complete(new ReleaseResult.FoundFree());
        now += Duration.ofMillis(50).toNanos();
        scheduled.remove().fire();
        now += Duration.ofMillis(10).toNanos();
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());

        assertThat(dueNanos).as("twice the time since it was added").isEqualTo(now + 60_000_000);
        scheduled.remove().fire();
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(backend.log).containsExactly(release(1), release(1), release(1));
        assertThat(scheduled).as("the late grant is free again").isEmpty();
    }

    @Test
    void repeatsTheReleaseOfAnAttemptUntilItsLeaseWouldBeOver() {
        calls.repeatRelease(release(1), Duration.ofSeconds(1));
        Sent<ReleaseCommand, ReleaseResult> sent = backend.nextRelease();
        now += Duration.ofSeconds(1).toNanos();
        sent.answer().complete(new ReleaseResult.FoundFree());
        assertThat(scheduled).isEmpty();
    }

    @Test
    void limitsTheNumberOfRepeatedReleases() {
        for (int i = 0; i <= StoreCalls.MAX_SCHEDULED; i++) {
            calls.repeatRelease(release(i), Duration.ofMinutes(5));
            backend.nextRelease().answer().complete(new ReleaseResult.FoundFree());
        }
        assertThat(scheduled).hasSize(StoreCalls.MAX_SCHEDULED);
    }

    @Test
    void releasesAGrantOnce() {
        calls.repeatRelease(grant(1), Duration.ofMinutes(5));
        backend.nextRelease().answer().complete(new ReleaseResult.FoundFree());
        assertThat(scheduled).isEmpty();
    }

    @Test
    void sendsEachReleaseOnceEvenIfManyAreToBeRepeated() {
        for (int i = 0; i < MOST; i++) {
            calls.repeatRelease(release(i), Duration.ofMinutes(5));
            backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());
        }
        calls.repeatRelease(release(MOST), Duration.ofMinutes(5));
        assertThat(backend.nextRelease().command()).isEqualTo(release(MOST));
    }

    @Test
    void givesUpACommandThatTheStoreNeverAnswers() {
        List<ReleaseResult> results = new ArrayList<>();
        calls.sendRelease(grant(1), results::add);
        Sent<ReleaseCommand, ReleaseResult> sent = backend.nextRelease();
        assertThat(lastDeadline).isEqualTo(now + StoreCalls.LAST_DEADLINE.toNanos());
        open.remove().fire();

        assertThat(results).singleElement().isInstanceOf(ReleaseResult.Unknown.class);
        assertThat(calls.whenIdle()).isCompleted();
        sent.answer().complete(new ReleaseResult.Released(0));
        assertThat(results).as("a late answer is ignored").hasSize(1);
    }

    @Test
    void aReleaseThatCannotBeRecordedHasAnUnknownOutcome() {
        List<ReleaseResult> results = new ArrayList<>();
        onClock = this::fail;
        calls.sendRelease(grant(1), results::add);

        assertThat(results).singleElement().isInstanceOf(ReleaseResult.Unknown.class);
        assertThat(calls.whenIdle()).isCompleted();
        backend.answerTheRest();
        assertThat(results).as("a late answer is ignored").hasSize(1);
    }

    /** Once, after the command was sent. */
    private void fail() {
        onClock = () -> {};
        assertThat(backend.log).hasSize(1);
        throw new StackOverflowError("planted");
    }

    @Test
    void reportsAnOutageWhenAnUnansweredAttemptAndItsReleaseAreBothUnanswered() {
        calls.sendRelease(grant(1), result -> {
            received.add(result);
            calls.sendRelease(grant(1), received::add);
        });
        open.remove().fire();
        assertThat(received).hasSize(1);
        open.remove().fire();
        assertThat(received)
                .extracting(Object::getClass)
                .isEqualTo(List.of(
                        ReleaseResult.Unknown.class, StoreEvent.Unreachable.class, ReleaseResult.Unknown.class));

        calls.sendRelease(grant(2), received::add);
        backend.answerTheRest();
        assertThat(received.get(3)).as("before the effects of the answer").isInstanceOf(StoreEvent.Reachable.class);
    }

    @Test
    void dropsTheDeadlineOfAnAnsweredCommand() {
        calls.sendRelease(grant(1), result -> {});
        calls.sendRelease(grant(2), result -> {});
        assertThat(open).hasSize(2);
        backend.answerTheRest();
        assertThat(open).isEmpty();
    }

    private static ReleaseCommand grant(int number) {
        return new ReleaseCommand("order:" + number, new LockToken("instance", number + 1), 17);
    }

    private static ReleaseCommand release(int number) {
        return new ReleaseCommand("order:" + number, new LockToken("instance", number + 1), 0);
    }
}
