package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Sent;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.Crowd;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two instances whose threads compete for three locks, mostly without success: short waits, interrupts and cancelled
 * futures against hand-overs. No overlaps, no leftovers.
 */
class HandOverStressIT extends RedisScenario {

    private static final int THREADS = 12;
    private static final int ATTEMPTS = 420;

    /** For a machine that is busy with other tests. */
    private record Place(String key, CriticalSection section, AtomicInteger runs) {

        LockRequest request() {
            return LockRequest.of(key);
        }
    }

    private final List<Place> places = IntStream.range(0, 3)
            .mapToObj(i -> new Place(key + ':' + i, new CriticalSection(), new AtomicInteger()))
            .toList();
    private final ScheduledExecutorService interrupter = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger interrupts = new AtomicInteger();
    private final AtomicInteger cancellations = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicLong longestOverrun = new AtomicLong();

    @Override
    RedisSettings settings() {
        return RedisStore.patient(ofSeconds(2));
    }

    @AfterEach
    void endTheInterrupter() {
        interrupter.shutdownNow();
    }

    @Test
    void excludesAndLeavesNothingBehindWhileWaitersComeAndGo() {
        List<Application> applications = List.of(warmedUp(newApplication()), warmedUp(newApplication()));
        try (Mailboxes mailboxes = Mailboxes.on(server())) {
            churn((random, place, number) -> attempt(random, place, applications.get(number % 2)));

            places.forEach(place -> place.section().assertExclusive(place.runs().get()));
            assertThat(refusals).as("waits that were too short").hasPositiveValue();
            assertThat(interrupts).as("waits that were interrupted").hasPositiveValue();
            assertThat(cancellations).as("waits that were cancelled").hasPositiveValue();
            assertThat(longestOverrun.get()).as("ns beyond the wait").isLessThan(Patience.TIME.toNanos());
            applications.forEach(this::assertNothingLeftIn);
            assertOnlyFencesLeft();
            assertThat(mailboxes.signals())
                    .as("one for each release or withdrawal at most")
                    .isLessThanOrEqualTo(count(applications, Verb.RELEASE) + count(applications, Verb.WITHDRAW));
            assertQueuesEmpty(applications);
        }
    }

    /** For control: the same without the locks. */
    @Test
    @Tag(Effort.FULL)
    void findsOverlapsAndLostIncrementsWithoutTheLock() {
        AtomicLong fence = new AtomicLong();
        churn((random, place, number) -> run(place, fence.incrementAndGet()));

        assertThat(places).allSatisfy(place -> {
            assertThat(place.section().detector().overlaps()).isNotEmpty();
            assertThat(place.section().count()).isLessThan(place.runs().get());
        });
    }

    private interface Attempt {
        void at(Random random, Place place, int thread);
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
        Duration wait = ofMillis(random.nextInt(6));
        switch (random.nextInt(6)) {
            case 0 -> attemptThatIsInterrupted(random, place, application);
            case 1 -> attemptThatIsCancelled(random, place, application);
            default -> attemptThatWaits(wait, place, application);
        }
    }

    private void attemptThatWaits(Duration wait, Place place, Application application) {
        long start = System.nanoTime();
        Optional<LockHandle> lock =
                application.locks().tryAcquire(place.request().waitingUpTo(wait));
        long overrun = System.nanoTime() - start - wait.toNanos();
        longestOverrun.accumulateAndGet(overrun, Math::max);
        lock.ifPresentOrElse(got -> runAndRelease(place, got), refusals::incrementAndGet);
    }

    private void attemptThatIsInterrupted(Random random, Place place, Application application) {
        Future<?> interrupt =
                interrupter.schedule(Thread.currentThread()::interrupt, random.nextInt(1_000), TimeUnit.MICROSECONDS);
        try {
            runAndRelease(place, application.locks().acquire(place.request()));
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
            runAndRelease(place, lock.join());
        }
    }

    private static void runAndRelease(Place place, LockHandle lock) {
        try (lock) {
            run(place, lock.fencingToken());
        }
    }

    private static void run(Place place, long fencingToken) {
        place.section().run(fencingToken);
        place.runs().incrementAndGet();
    }

    private void assertNothingLeftIn(Application application) {
        await().atMost(Patience.TIME).untilAsserted(() -> {
            assertThat(application.locks().heldLocks().size()).isZero();
            assertThat(application.events().of(LockEvent.Acquired.class))
                    .hasSameSizeAs(application.events().of(LockEvent.Released.class));
        });
        assertThat(application.events().of(LockEvent.Acquired.class))
                .filteredOn(event -> event.path() == Path.HANDED_OVER)
                .isNotEmpty();
        assertThat(application.events().of(LockEvent.Lost.class)).isEmpty();
    }

    private static long count(List<Application> applications, Verb verb) {
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
        await().atMost(Patience.TIME)
                .until(() -> !application.events().of(LockEvent.Contended.class).isEmpty());

        // Repeatedly: while the waiter retries on its own, a signal is only recorded and no command is sent.
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThatThrownBy(() -> assertQueuesEmpty(List.of(application)))
                        .hasMessageContaining("ACQUIRE"));
    }
}
