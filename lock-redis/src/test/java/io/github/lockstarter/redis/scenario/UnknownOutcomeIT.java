package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Answers that are late, lost, doubled or not wanted any more: clear to the caller, and nothing stays behind. */
class UnknownOutcomeIT extends RedisScenario {

    /** So that only a failure ends a call in time. */
    private static final Duration LONG = ofMinutes(30);

    private final TcpProxy proxy = newProxy();
    private final Application application = newApplicationBehind(proxy);

    /** Where the answer is awaited for a command timeout. */
    private final Application hasty = newHastyApplicationBehind(proxy);

    @Test
    void throwsAndFreesTheKeyWhenTheReplyIsDelayed() throws Exception {
        warmedUp(hasty);
        String before = redis().get("lock:fence");
        proxy.stallReplies();
        Future<?> refused =
                elsewhere(() -> assertThatThrownBy(() -> hasty.locks().acquire(request.maxWait(LONG)))
                        .isInstanceOf(LockBackendException.class)
                        .hasMessageContaining(key));
        await().atMost(Patience.TIME).untilAsserted(() -> assertThat(redis().get("lock:fence"))
                .as("granted, with an unknown outcome")
                .isNotEqualTo(before));

        resultOf(refused);
        letPass(ofMillis(Patience.MOMENT_MILLIS));
        proxy.flow();

        assertNothingLeft();
    }

    @Test
    void rethrowsTheExceptionOfTheBodyWhenTheReleaseGetsNoAnswer() {
        IllegalStateException failure = new IllegalStateException("from the body");
        warmedUp(hasty);

        // Repeated until the lock is acquired, which the machine may be too busy for.
        await().untilAsserted(() -> assertThatThrownBy(() -> hasty.locks().execute(request, () -> {
                    proxy.stallRequests();
                    throw failure;
                }))
                .isSameAs(failure));

        proxy.flow();
        assertNothingLeft();
    }

    @Test
    void failsLongBeforeTheEndOfTheWaitWhenRedisIsStopped() throws Exception {
        Application direct = warmedUp(newHastyApplication());
        server().stop();

        resultOf(elsewhere(() -> assertThatThrownBy(() -> direct.locks().acquire(request.maxWait(LONG)))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining(key)));
        assertThatThrownBy(() -> direct.locks().tryAcquire(request)).isInstanceOf(LockBackendException.class);

        server().restart();
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> direct.locks().acquire(request).close());
    }

    @Test
    void endsAWaitWhenTheServerStopsAnswering() throws Exception {
        Application direct = newApplication();
        AtomicBoolean stalled = new AtomicBoolean();
        warmedUp(hasty);
        try (LockHandle held = direct.locks().acquire(request)) {
            Future<LockBackendException> waiter = elsewhere(() -> endOfAWait(stalled));
            awaitWaiting();
            stalled.set(true);
            proxy.stallRequests();

            // After the next look at the lock, and one command timeout for that.
            assertThat(resultOf(waiter)).isNotNull();
            held.ensureHeld();
        }
        proxy.flow();
        assertNothingLeft();
    }

    /** Where the machine is too busy for an answer in time, the wait begins again. */
    private LockBackendException endOfAWait(AtomicBoolean stalled) {
        while (true) {
            LockBackendException end = catchThrowableOfType(
                    LockBackendException.class, () -> hasty.locks().acquire(request.maxWait(LONG)));
            if (stalled.get()) {
                return end;
            }
        }
    }

    @Test
    void leavesNothingBehindWhenInterruptedBeforeTheRequestArrives() throws Exception {
        assertNothingLeftByAnInterruptWhile(proxy::stallRequests);
    }

    @Test
    void leavesNothingBehindWhenInterruptedBeforeTheReplyArrives() throws Exception {
        assertNothingLeftByAnInterruptWhile(proxy::stallReplies);
    }

    private void assertNothingLeftByAnInterruptWhile(Runnable stall) throws Exception {
        warmedUp(application);
        stall.run();
        CompletableFuture<Thread> acquiring = new CompletableFuture<>();
        Future<Boolean> flag = elsewhere(() -> {
            acquiring.complete(Thread.currentThread());
            assertThatThrownBy(() -> application.locks().acquire(request))
                    .isInstanceOf(LockInterruptedException.class)
                    .hasMessageContaining(key);
            return Thread.interrupted();
        });
        Thread thread = acquiring.get(Patience.SECONDS, TimeUnit.SECONDS);
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(application.backend().count(Verb.ACQUIRE, key))
                        .isOne());

        thread.interrupt();

        assertThat(resultOf(flag)).as("the interrupt flag").isTrue();
        letPass(ofMillis(100));
        proxy.flow();
        letPass(ofMillis(100));
        assertNothingLeft();
        assertThat(application.locks().heldLocks().size()).isZero();
        assertThat(application.backend().count(Verb.RENEW, key)).isZero();
    }

    @Test
    void leavesNothingBehindAtAnyMomentOfTheInterrupt() throws Exception {
        long seed = System.nanoTime();
        System.out.println("Seed of the interrupts: " + seed);
        Random random = new Random(seed);
        warmedUp(application);
        for (int i = 0; i < 150; i++) {
            CompletableFuture<Thread> acquiring = new CompletableFuture<>();
            Future<Boolean> ended = elsewhere(() -> {
                acquiring.complete(Thread.currentThread());
                try {
                    application.locks().acquire(request).close();
                } catch (LockInterruptedException e) {
                    return Thread.interrupted();
                }
                return true;
            });
            Thread thread = acquiring.get(Patience.SECONDS, TimeUnit.SECONDS);
            LockSupport.parkNanos(random.nextInt(1_000_000));
            thread.interrupt();
            assertThat(resultOf(ended))
                    .as("the interrupt flag is set with the exception")
                    .isTrue();
            Thread.interrupted();
        }

        assertNothingLeft();
        assertThat(application.locks().heldLocks().size()).isZero();
    }
}
