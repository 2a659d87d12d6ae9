package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Sent;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.settings.EngineSettings.Handover;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.Crowd;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
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

    /**
     * Two instances whose threads compete for three locks, mostly without success: short waits, interrupts and
     * cancelled futures against handovers. No overlaps, no leftovers.
     */
    @Nested
    class WhileWaitersComeAndGo {

        private static final int THREADS = 12;
        private static final int ATTEMPTS = Effort.of(200, 420);

        private record Place(String key, CriticalSection section, AtomicInteger runs) {

            LockRequest request() {
                return LockRequest.of(key).maxWait(Patience.TIME);
            }

            void run(long fencingToken) {
                section.run(fencingToken);
                runs.incrementAndGet();
            }

            void runAndRelease(LockHandle lock) {
                try (lock) {
                    run(lock.fencingToken());
                }
            }
        }

        private interface Attempt {
            void at(Random random, Place place, int thread);
        }

        private final List<Place> places = IntStream.range(0, 3)
                .mapToObj(i -> new Place(key + ':' + i, new CriticalSection(), new AtomicInteger()))
                .toList();
        private final ScheduledExecutorService interrupter = Executors.newSingleThreadScheduledExecutor();
        private final AtomicInteger refusals = new AtomicInteger();
        private final AtomicInteger interrupts = new AtomicInteger();
        private final AtomicInteger cancellations = new AtomicInteger();

        @Test
        void excludesAndLeavesNothingBehind() {
            List<Application> applications = List.of(warmedUp(newApplication()), warmedUp(newApplication()));
            try (Mailboxes mailboxes = Mailboxes.on(server())) {
                churn((random, place, number) -> attempt(random, place, applications.get(number % 2)));

                places.forEach(
                        place -> place.section().assertExclusive(place.runs().get()));
                assertThat(refusals).as("waits that were too short").hasPositiveValue();
                assertThat(interrupts).as("waits that were interrupted").hasPositiveValue();
                assertThat(cancellations).as("waits that were cancelled").hasPositiveValue();
                applications.forEach(this::assertNothingLeftIn);
                assertOnlyFencesLeft(server());
                assertThat(mailboxes.signals())
                        .as("one for each release or withdrawal at most")
                        .isLessThanOrEqualTo(count(applications, Verb.RELEASE) + count(applications, Verb.WITHDRAW));
                assertQueuesEmpty(applications);
            } finally {
                interrupter.shutdownNow();
            }
        }

        /** For control: the same without the locks. */
        @Test
        @Tag(Effort.FULL)
        void findsOverlapsAndLostIncrementsWithoutTheLock() {
            AtomicInteger fence = new AtomicInteger();
            churn((random, place, number) -> place.run(fence.incrementAndGet()));

            assertThat(places).allSatisfy(place -> {
                assertThat(place.section().detector().overlaps()).isNotEmpty();
                assertThat(place.section().count()).isLessThan(place.runs().get());
            });
        }

        private void churn(Attempt attempt) {
            Random seeds = seeded("the churn");
            Queue<Random> randoms = new ConcurrentLinkedQueue<>();
            IntStream.range(0, THREADS).forEach(i -> randoms.add(new Random(seeds.nextLong())));
            AtomicInteger numbers = new AtomicInteger();
            Crowd.of(THREADS).eachRuns(1, () -> {
                int number = numbers.getAndIncrement();
                Random random = randoms.remove();
                for (int i = 0; i < ATTEMPTS; i++) {
                    attempt.at(random, places.get(random.nextInt(places.size())), number);
                }
            });
        }

        private void attempt(Random random, Place place, Application application) {
            switch (random.nextInt(6)) {
                case 0 -> attemptThatIsInterrupted(random, place, application);
                case 1 -> attemptThatIsCancelled(random, place, application);
                default ->
                    application
                            .locks()
                            .tryAcquire(place.request().maxWait(ofMillis(random.nextInt(6))))
                            .ifPresentOrElse(place::runAndRelease, refusals::incrementAndGet);
            }
        }

        private void attemptThatIsInterrupted(Random random, Place place, Application application) {
            Future<?> interrupt = interrupter.schedule(
                    Thread.currentThread()::interrupt, random.nextInt(1_000), TimeUnit.MICROSECONDS);
            try {
                place.runAndRelease(application.locks().acquire(place.request()));
            } catch (LockInterruptedException e) {
                interrupts.incrementAndGet();
            }
            while (!interrupt.isDone()) {
                Thread.onSpinWait();
            }
            assertThat(Thread.interrupted()).as("the interrupt flag stays").isTrue();
        }

        private void attemptThatIsCancelled(Random random, Place place, Application application) {
            CompletableFuture<LockHandle> lock = application.locks().acquireAsync(place.request());
            LockSupport.parkNanos(random.nextInt(1_000_000));
            if (lock.cancel(false)) {
                cancellations.incrementAndGet();
            } else {
                place.runAndRelease(lock.join());
            }
        }

        private void assertNothingLeftIn(Application application) {
            await().untilAsserted(() -> {
                assertThat(application.locks().heldLocks().size()).isZero();
                assertThat(application.events().of(LockEvent.Acquired.class))
                        .hasSameSizeAs(application.events().of(LockEvent.Released.class));
            });
            assertThat(application.events().of(LockEvent.Lost.class)).isEmpty();
            assertThat(application.events().of(LockEvent.Acquired.class))
                    .filteredOn(event -> event.path() == Path.HANDED_OVER)
                    .isNotEmpty();
        }

        private long count(List<Application> applications, Verb verb) {
            return applications.stream()
                    .mapToLong(application -> application.backend().count(verb))
                    .sum();
        }

        /** A signalled instance with waiters attempts; without waiters, a withdrawal forwards the signal. */
        private void assertQueuesEmpty(List<Application> applications) {
            for (Application application : applications) {
                for (Place place : places) {
                    int before = application.backend().sent().size();
                    application.backend().signalFalsely(place.key());
                    List<Sent> sent = application.backend().sent();
                    assertThat(sent.subList(before, sent.size()))
                            .extracting(Sent::verb)
                            .containsExactly(Verb.WITHDRAW);
                }
            }
        }

        /** A control: the check finds a queue with a waiter. */
        @Test
        void theCheckFindsAWaiterThatStays() {
            Application application = warmedUp(newApplication());
            redis().psetex("lock:{" + places.get(2).key() + "}", 60_000, "foreign");
            application.locks().acquireAsync(places.get(2).request());
            await().until(() ->
                    !application.events().of(LockEvent.Contended.class).isEmpty());

            // Repeatedly: while the waiter retries on its own, a signal is only recorded and no command is sent.
            await().untilAsserted(() -> assertThatThrownBy(() -> assertQueuesEmpty(List.of(application)))
                    .hasMessageContaining("ACQUIRE"));
        }
    }
}
