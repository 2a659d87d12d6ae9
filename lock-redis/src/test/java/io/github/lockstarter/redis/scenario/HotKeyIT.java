package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.testing.Effort;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many callers of one instance request one key at a time, or many keys. */
class HotKeyIT extends RedisScenario {

    private static final int ROUNDS = 20;
    private static final int CALLERS = 64;
    private static final String INSTANCE = "0123456789abcdef0123456789abcdef";

    /** Attempts that a server answers while 2,000 arrive. */
    private static final int MOST_UNANSWERED = 256;

    /** As where one refreshes a cache, and the others skip it, while the instance uses other locks. */
    @Test
    void answersManyTriesWithFewCommandsAndNoFailure() {
        TcpProxy proxy = newProxy();
        EngineSettings withoutBeats = Application.settings(LONG_LEASE).withCrashTakeover(Duration.ZERO);
        Application application = warmedUp(newApplicationBehind(proxy, withoutBeats));
        Application other = warmedUp(newApplication(withoutBeats));
        try (LockHandle held = other.locks().acquire(request)) {
            for (int round = 0; round < ROUNDS; round++) {
                redis().configResetstat();
                proxy.stallRequests();
                List<CompletableFuture<LockHandle>> tries = new ArrayList<>();
                List<CompletableFuture<LockHandle>> others = new ArrayList<>();
                for (int i = 0; i < CALLERS; i++) {
                    tries.add(application.locks().acquireAsync(request.withoutWaiting()));
                    if (i % 32 == 0) {
                        others.add(application.locks().acquireAsync(key + ":other:" + i));
                    }
                }
                proxy.flow();

                assertThat(tries).allSatisfy(each -> assertThat(each)
                        .failsWithin(Patience.TIME)
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(LockNotAcquiredException.class));
                others.forEach(each -> each.join().close());
                assertThat(scriptCalls())
                        .as("commands for " + CALLERS + " tries")
                        .isLessThan(CALLERS / 4);
            }
            assertThat(held.isHeld()).isTrue();
        }
    }

    /** The best of several rounds, since other programs run too. */
    @Test
    @Tag(Effort.TIMING)
    void theCostOfASectionIsIndependentOfTheNumberOfWaiters() throws Exception {
        Application application = newApplication();
        microsPerSection(application, 5_000); // so that the code is compiled
        double few = Double.MAX_VALUE;
        double many = Double.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            few = Math.min(few, microsPerSection(application, 1_000));
            many = Math.min(many, microsPerSection(application, 30_000));
        }
        assertThat(many).isLessThan(2 * few);
    }

    private double microsPerSection(Application application, int crowd) throws Exception {
        LockRequest patient = request.maxWait(Duration.ofMinutes(5));
        LockHandle held = application.locks().acquire(patient);
        List<CompletableFuture<Void>> sections = new ArrayList<>();
        for (int i = 0; i < crowd; i++) {
            sections.add(application.locks().acquireAsync(patient).thenAccept(LockHandle::close));
        }
        long start = System.nanoTime();
        held.close();
        for (CompletableFuture<Void> section : sections) {
            resultOf(section);
        }
        return (System.nanoTime() - start) / 1_000.0 / crowd;
    }

    /** The key is never idle, but state of answered commands is removed anyway. */
    @Test
    @Tag(Effort.FULL)
    void keepsNoStateOfAnsweredCallsWhileTheKeyIsBusy() {
        try (RedisStore store = new RedisStore(server().uri()).with(settings())) {
            LockBackend backend = store.connect();
            backend.attemptAcquire(attempt(key, 1)).toCompletableFuture().join();
            List<WeakReference<?>> answered = new ArrayList<>();
            Deque<CompletableFuture<AcquireResult>> underWay = new ArrayDeque<>();
            int calls = 2_000;
            for (int i = 0; i < calls; i++) {
                backend.attemptAcquire(
                        attempt(key + ":other:" + i, calls + 2 + i)); // so that the next one is collected
                underWay.add(backend.attemptAcquire(attempt(key, 2 + i)).toCompletableFuture());
                if (underWay.size() > 8) {
                    CompletableFuture<AcquireResult> oldest = underWay.remove();
                    oldest.join();
                    answered.add(new WeakReference<>(oldest));
                }
                if (i == calls - 9) {
                    server().pause();
                }
            }
            assertThat(underWay).anyMatch(call -> !call.isDone());
            await().untilAsserted(() -> {
                System.gc();
                assertThat(answered.stream().filter(each -> each.get() != null).count())
                        .isLessThan(100);
            });
        } finally {
            server().resume();
        }
    }

    /** As after a break of the mailbox connection, when all that wait look. */
    @Test
    void sendsOnlyAsManyAttemptsAsTheServerAnswers() {
        TcpProxy proxy = newProxy();
        try (RedisStore store = RedisStore.behind(proxy).with(settings())) {
            LockBackend backend = store.connect();
            Optional<Waiting> again = Optional.of(new Waiting(1_000, Duration.ofSeconds(5)));
            backend.attemptAcquire(attempt(key, 1)).toCompletableFuture().join();
            backend.attemptAcquire(attempt(key, 2, again)).toCompletableFuture().join();
            redis().configResetstat();
            proxy.stallReplies();
            List<CompletableFuture<AcquireResult>> attempts = Stream.iterate(3, i -> i + 1)
                    .limit(2_000)
                    .map(i -> backend.attemptAcquire(attempt(key + i, i, again)).toCompletableFuture())
                    .toList();
            await().until(() -> scriptCalls() >= MOST_UNANSWERED);
            letPass(Duration.ofMillis(100));
            assertThat(scriptCalls()).isEqualTo(MOST_UNANSWERED);
            proxy.flow();
            assertThat(attempts)
                    .allSatisfy(attempt -> assertThat(attempt.join()).isInstanceOf(AcquireResult.Granted.class));
        }
    }

    private static AcquireCommand attempt(String key, long number) {
        return attempt(key, number, Optional.empty());
    }

    private static AcquireCommand attempt(String key, long number, Optional<Waiting> waiting) {
        return new AcquireCommand(key, new LockToken(INSTANCE, number), LONG_LEASE, 0, 1, waiting);
    }
}
