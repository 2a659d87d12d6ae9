package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Answers that are late, lost, doubled or not wanted any more: clear to the caller, and nothing stays behind. */
class UnknownOutcomeIT extends RedisScenario {

    /** For a machine that is busy with other tests. */
    private static final Duration SLACK = ofSeconds(3);

    private final TcpProxy proxy = newProxy();
    private final Application application = newApplicationBehind(proxy);

    @Test
    void throwsAndFreesTheKeyWhenTheReplyIsDelayed() throws Exception {
        warmedUp(application);
        String before = redis().get("lock:fence");
        proxy.stallReplies();
        Future<Duration> taken = elsewhere(
                () -> timeOf(() -> assertThatThrownBy(() -> application.locks().acquire(request))
                        .isInstanceOf(LockBackendException.class)
                        .hasMessageContaining(key)));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(redis().get("lock:fence"))
                .as("granted, with an unknown outcome")
                .isNotEqualTo(before));

        assertThat(resultOf(taken)).isLessThan(COMMAND_TIMEOUT.plus(SLACK));
        letPass(COMMAND_TIMEOUT.dividedBy(2));
        proxy.flow();

        assertNothingLeft();
    }

    @Test
    void throwsAndFreesTheKeyWhenTheServerHangs() {
        warmedUp(application);
        server().pause();
        Duration taken =
                timeOf(() -> assertThatThrownBy(() -> application.locks().acquire(request))
                        .isInstanceOf(LockBackendException.class)
                        .hasMessageContaining(key));
        assertThat(taken).isLessThan(COMMAND_TIMEOUT.plus(SLACK));

        letPass(COMMAND_TIMEOUT.dividedBy(2));
        server().resume();

        letPass(ofMillis(300));
        assertNothingLeft();
        warmedUp(application);
    }

    @Test
    void holdsALockOnceWhenItsAcquisitionIsExecutedTwice() throws Exception {
        warmedUp(application);
        CompletableFuture<String> dropped = proxy.dropReplyTo(sent -> sent.contains(lockKey));
        Future<LockHandle> acquiring = elsewhere(() -> application.locks().acquire(request));
        dropped.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        LockHandle held = resultOf(acquiring);

        assertThat(redis().get("lock:fence")).isEqualTo(Long.toString(held.fencingToken()));
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertNothingLeft();
    }

    @Test
    void reportsReleasedWhenTheReleaseIsExecutedTwice() throws Exception {
        warmedUp(application);
        LockHandle held = application.locks().acquire(request);
        CompletableFuture<String> dropped = proxy.dropReplyTo(sent -> sent.contains(lockKey));
        Future<ReleaseOutcome> releasing = elsewhere(held::release);
        dropped.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.RELEASED);
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void keepsTheLockWhenTheReplyToARenewalIsLost() throws Exception {
        // Renewed every two seconds: four remain for the next renewal on a machine that is busy with other tests.
        LockHandle held = application.locks().acquire(request.leasedFor(ofSeconds(6)));
        CompletableFuture<String> dropped = proxy.dropReplyTo(sent -> sent.contains(lockKey));
        dropped.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        awaitRenewals(application, RenewalOutcome.RENEWED, 3); // more than a lease after the grant
        assertThat(held.isHeld()).isTrue();
        assertThat(redis().exists(lockKey)).isOne();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void repeatsAnUnansweredRelease() {
        LockHandle held = application.locks().acquire(request);
        proxy.stallRequests();

        Duration taken = timeOf(() -> assertThat(held.release()).isEqualTo(ReleaseOutcome.UNKNOWN));

        assertThat(taken).isLessThan(COMMAND_TIMEOUT.plus(SLACK));
        assertThat(held.isHeld()).isFalse();
        proxy.cut();
        proxy.flow();
        assertNothingLeft();
    }

    @Test
    void rethrowsTheExceptionOfTheBodyWhenTheReleaseGetsNoAnswer() {
        IllegalStateException failure = new IllegalStateException("from the body");
        warmedUp(application);

        assertThatThrownBy(() -> application.locks().execute(request, () -> {
                    proxy.stallRequests();
                    throw failure;
                }))
                .isSameAs(failure);

        proxy.flow();
        assertNothingLeft();
    }

    @Test
    void failsWithinTheCommandTimeoutWhenRedisIsStopped() {
        Application direct = warmedUp(newApplication());
        server().stop();

        Duration taken =
                timeOf(() -> assertThatThrownBy(() -> direct.locks().acquire(request.waitingUpTo(ofSeconds(30))))
                        .isInstanceOf(LockBackendException.class)
                        .hasMessageContaining(key));
        assertThat(taken).isLessThan(COMMAND_TIMEOUT.plus(SLACK));
        assertThatThrownBy(() -> direct.locks().tryAcquire(request)).isInstanceOf(LockBackendException.class);

        server().restart();
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> direct.locks().acquire(request).close());
    }

    @Test
    void failsWithinTheCommandTimeoutWhenRedisWasNeverStarted() {
        TcpProxy nobody = newProxy();
        nobody.refuse();
        Application lonely = newApplicationBehind(nobody);

        Duration taken = timeOf(() -> assertThatThrownBy(() -> lonely.locks().acquire(request))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining(key));

        assertThat(taken).isLessThan(COMMAND_TIMEOUT.plus(SLACK));
        nobody.accept();
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> lonely.locks().acquire(request).close());
    }

    @Test
    void endsAWaitWhenTheServerStopsAnswering() throws Exception {
        Application direct = newApplication();
        try (LockHandle held = direct.locks().acquire(request)) {
            Future<Duration> waiter = elsewhere(() -> timeOf(
                    () -> assertThatThrownBy(() -> application.locks().acquire(request.waitingUpTo(ofSeconds(30))))
                            .isInstanceOf(LockBackendException.class)));
            awaitWaiting();
            proxy.stallRequests();

            // Until the next look at the lock, and one command timeout for that.
            assertThat(resultOf(waiter))
                    .isLessThan(ofMillis(200).plus(COMMAND_TIMEOUT).plus(SLACK));
            assertThat(held.isHeld()).isTrue();
        }
        proxy.flow();
        assertNothingLeft();
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
        Thread thread = acquiring.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        await().atMost(PATIENCE)
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
            Thread thread = acquiring.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
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
