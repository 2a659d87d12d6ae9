package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.settings.EngineSettings.Handover;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A handover inside one instance, on a real server: its cost, its results, and whom a release wakes. */
class HandOverIT extends RedisScenario {

    private static final int ROW = 160;

    /** Commands for a row: an acquisition and a release for each 16 waiters, and those of the first lock. */
    private static final long READS = 2 * (ROW / 16 + 2);

    private static final Handover PATIENT = new Handover(16, Duration.ofMinutes(1));

    private final EngineSettings settings = Application.settings(LONG_LEASE);

    @Test
    void servesARowOfWaitersWithFewCommandsAndNoThread() throws Exception {
        try (RedisStore store = new RedisStore(server().uri());
                ClockedEngine application = new ClockedEngine(store.connect(), settings)) {
            assertThat(readsOfARow(application)).isLessThanOrEqualTo(READS);
            assertThat(acquiredNewly(application)).isLessThanOrEqualTo(ROW / 16 + 2);
        }
    }

    /** The control. */
    @Test
    @Tag(Effort.FULL)
    void sendsACommandPerAcquisitionWithoutHandOver() throws Exception {
        try (RedisStore store = new RedisStore(server().uri());
                ClockedEngine application =
                        new ClockedEngine(store.connect(), Application.with(Handover.upTo(0), settings))) {
            assertThat(readsOfARow(application)).isGreaterThan(ROW);
            assertThat(acquiredNewly(application)).isGreaterThan(ROW);
        }
    }

    private long readsOfARow(ClockedEngine application) throws Exception {
        CriticalSection section = new CriticalSection();
        application.locks().acquire(request).close();
        Set<String> threadsBefore = threadsOfTheClient();
        Set<String> threads = ConcurrentHashMap.newKeySet();
        LockHandle held = application.locks().acquire(request);
        List<CompletableFuture<Void>> row = new ArrayList<>();
        for (int i = 0; i < ROW; i++) {
            row.add(application.locks().acquireAsync(patient()).thenAccept(lock -> {
                section.run(lock.fencingToken());
                threads.addAll(threadsOfTheClient());
                lock.close();
            }));
        }
        long reads = server().readsDuring(() -> {
            held.close();
            row.forEach(
                    each -> each.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join());
        });
        section.assertExclusive(ROW);
        threads.removeIf(name -> name.startsWith("lock-async"));
        assertThat(threadsBefore).as("threads while the lock is handed over").containsAll(threads);
        assertNothingLeft();
        return reads;
    }

    private LockRequest patient() {
        return request.maxWait(Duration.ofHours(1));
    }

    private long acquiredNewly(ClockedEngine application) {
        return application.events().of(LockEvent.Acquired.class).stream()
                .filter(event -> event.key().equals(key) && event.path() != Path.HANDED_OVER)
                .count();
    }

    private static Set<String> threadsOfTheClient() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("lock-"))
                .collect(Collectors.toSet());
    }

    @Test
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
                waits.add(waiter.locks().acquireAsync(patient()));
                waits.add(waiter.locks().acquireAsync(patient()));
                long registered = i;
                await().until(() -> redis().zcard(waitersKey) == registered);
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
            await().until(() -> mailboxes.signals() == 3);
            assertThatThrownBy(() -> assertCounts(mailboxes, waiting, 2))
                    .as("a signal too many is found")
                    .hasMessageContaining("signals");

            for (CompletableFuture<LockHandle> wait : waits.subList(2, waits.size())) {
                resultOf(wait).release();
            }
        }
        assertNothingLeft();
    }

    private void assertWoken(Mailboxes mailboxes, List<Application> waiting, int woken) {
        await().during(ofMillis(150)).untilAsserted(() -> assertCounts(mailboxes, waiting, woken));
    }

    /** Each instance attempted once when it registered, and once more if it was woken. */
    private void assertCounts(Mailboxes mailboxes, List<Application> waiting, int woken) {
        assertThat(mailboxes.notices()).as("notices").isEqualTo(1);
        assertThat(mailboxes.signals()).as("signals").isEqualTo(woken);
        assertThat(waiting.stream()
                        .mapToLong(each -> each.backend().count(Verb.ACQUIRE, key))
                        .sum())
                .as("attempts")
                .isEqualTo(waiting.size() + woken);
    }
}
