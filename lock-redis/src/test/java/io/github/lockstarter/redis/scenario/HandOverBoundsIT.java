package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.engine.settings.EngineSettings.HandOver;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.testing.Crowd;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Hand-overs on a real server while several instances want the lock: waiting times, and which instances are woken. */
class HandOverBoundsIT extends RedisScenario {

    private static final int CROWD = 8;
    private static final HandOver PATIENT = new HandOver(16, Duration.ofMinutes(1));
    private static final HandOver UNBOUNDED = new HandOver(64, Duration.ofMinutes(1));

    /** A notice that overtakes the answer to the attempt is taken up with the second tick of the timer after it. */
    private static final Duration TWO_TICKS = ofMillis(10);

    @Test
    void handsOverAtMost16TimesWhileAnotherInstanceWaits() throws Exception {
        assertThat(longestRow(HandOver.DEFAULTS, ofMillis(1), 30)).isBetween(1, 16 + mostInFlight(ofMillis(1)));
    }

    @Test
    void handsOverForAtMost50MillisecondsWhileAnotherInstanceWaits() throws Exception {
        assertThat(longestRow(HandOver.DEFAULTS, ofMillis(10), 6)).isBetween(1, 5 + mostInFlight(ofMillis(10)));
    }

    @Test
    @Tag(Effort.FULL)
    void theCheckFindsMoreThan16HandOversWithoutTheLimit() throws Exception {
        assertThat(longestRow(UNBOUNDED, ofMillis(1), 15)).isGreaterThan(16 + mostInFlight(ofMillis(1)));
    }

    @Test
    @Tag(Effort.FULL)
    void theCheckFindsMoreThan50MillisecondsWithoutTheLimit() throws Exception {
        assertThat(longestRow(PATIENT, ofMillis(10), 4)).isGreaterThan(5 + mostInFlight(ofMillis(10)));
    }

    /**
     * Hand-overs beyond the bound: one decided before the notice arrived, one due to a late timer, and those before the
     * notice was processed.
     */
    private static int mostInFlight(Duration work) {
        return 2 + (int) TWO_TICKS.dividedBy(work);
    }

    /**
     * The threads of one instance hand the lock over, and another instance wants it from time to time.
     *
     * @return number of hand-overs between the notice of the other instance and its grant
     */
    private int longestRow(HandOver bounds, Duration work, int rounds) throws Exception {
        Random random = seeded("the moments at which another instance comes");
        // Whoever looks again without a signal may be faster than a slow instance whose turn it is.
        Application crowded =
                warmedUp(newApplication(Application.with(bounds, Application.settingsThatTrustSignals())));
        Application other = warmedUp(newApplicationThatTrustsSignals());
        Map<Long, Long> enteredAt = new ConcurrentHashMap<>();
        AtomicBoolean over = new AtomicBoolean();
        Future<?> crowd = elsewhere(() -> {
            Crowd.of(CROWD).eachRuns(1, () -> {
                while (!over.get()) {
                    try (LockHandle lock = crowded.locks().acquire(request)) {
                        enteredAt.put(lock.fencingToken(), System.nanoTime());
                        LockSupport.parkNanos(work.toNanos());
                    }
                }
            });
            return null;
        });
        List<Long> grants = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            LockSupport.parkNanos(random.nextInt(20_000_000));
            try (LockHandle lock = other.locks().acquire(request)) {
                grants.add(System.nanoTime());
                assertThat(lock.isHeld()).isTrue();
            }
        }
        over.set(true);
        resultOf(crowd);
        assertNothingLeft();

        List<Long> handOvers = crowded.events().of(LockEvent.Acquired.class).stream()
                .filter(event -> event.path() == Path.HANDED_OVER)
                .map(event -> enteredAt.get(event.fencingToken()))
                .toList();
        int longest = longestRow(crowded.backend().noticedAt(key), handOvers, grants);
        System.out.println("Longest row of hand-overs that another instance let pass, " + bounds + ": " + longest);
        return longest;
    }

    /** The same for a history: for each grant, the hand-overs after the first notice since the previous grant. */
    private static int longestRow(Collection<Long> notices, Collection<Long> handOvers, List<Long> grants) {
        int longest = 0;
        for (int i = 0; i < grants.size(); i++) {
            long before = i == 0 ? Long.MIN_VALUE : grants.get(i - 1);
            long grant = grants.get(i);
            long noticed = notices.stream()
                    .filter(at -> at > before && at < grant)
                    .min(Long::compare)
                    .orElse(grant);
            long row =
                    handOvers.stream().filter(at -> at > noticed && at < grant).count();
            longest = Math.max(longest, (int) row);
        }
        return longest;
    }

    @Test
    void theCheckCountsHandOvers() {
        assertThat(longestRow(List.of(5L, 7L, 25L), List.of(1L, 6L, 8L, 9L, 21L, 26L), List.of(10L, 30L)))
                .isEqualTo(3);
    }

    @Test
    @Tag(Effort.FULL)
    void notifiesTheHolderOnceAndWakesOneInstancePerRelease() throws Exception {
        Application holder = warmedUp(newApplicationThatTrustsSignals());
        try (Mailboxes mailboxes = Mailboxes.on(server())) {
            LockHandle held = holder.locks().acquire(request);
            List<Application> waiting = new ArrayList<>();
            List<CompletableFuture<LockHandle>> waits = new ArrayList<>();
            for (int i = 1; i <= 3; i++) {
                Application waiter =
                        warmedUp(newApplication(Application.with(PATIENT, Application.settingsThatTrustSignals())));
                waiting.add(waiter);
                waits.add(waiter.locks().acquireAsync(request));
                waits.add(waiter.locks().acquireAsync(request));
                long registered = i;
                await().atMost(Patience.TIME).until(() -> redis().zcard(waitersKey) == registered);
            }
            assertWoken(mailboxes, waiting, 0);

            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
            LockHandle first = resultOf(waits.get(0));
            assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
            LockHandle second = resultOf(waits.get(1));
            assertThat(second.fencingToken()).as("handed over").isEqualTo(first.fencingToken() + 1);
            assertWoken(mailboxes, waiting, 1);

            assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
            resultOf(waits.get(2));
            assertWoken(mailboxes, waiting, 2);

            String next = redis().pubsubChannels("lock:mailbox:*").get(0);
            redis().publish(next, key);
            assertThatThrownBy(() -> assertWoken(mailboxes, waiting, 2))
                    .as("a signal too many is found")
                    .hasMessageContaining("signals");

            resultOf(waits.get(2)).release();
            resultOf(waits.get(3)).release();
            resultOf(waits.get(4)).release();
            resultOf(waits.get(5)).release();
        }
        assertNothingLeft();
    }

    /** Each instance attempted once when it registered, and once more if it was woken. */
    private void assertWoken(Mailboxes mailboxes, List<Application> waiting, int woken) {
        await().during(ofMillis(150)).atMost(Patience.TIME).untilAsserted(() -> {
            assertThat(mailboxes.notices()).as("notices").isEqualTo(1);
            assertThat(mailboxes.signals()).as("signals").isEqualTo(woken);
            assertThat(waiting.stream()
                            .mapToLong(each -> each.backend().count(Verb.ACQUIRE, key))
                            .sum())
                    .as("attempts")
                    .isEqualTo(waiting.size() + woken);
        });
    }
}
