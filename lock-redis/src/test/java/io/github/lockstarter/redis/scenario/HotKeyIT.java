package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many callers of one instance request one key at a time, or many keys. */
class HotKeyIT extends RedisScenario {

    private static final Duration ROUND_TRIP = Duration.ofMillis(2);
    private static final int TRIES = 10_000;
    private static final int CALLERS = 64;
    private static final String INSTANCE = "0123456789abcdef0123456789abcdef";

    /** Attempts that a server answers while 2,000 arrive. */
    private static final int MOST_UNANSWERED = 256;

    /** No answer may time out, however long a busy machine takes. */
    @Override
    RedisSettings settings() {
        return RedisStore.patient(Duration.ofSeconds(2));
    }

    /** As where one refreshes a cache, and the others skip it. */
    @Test
    void answersManyTriesWithFewCommandsAndNoFailure() throws Exception {
        TcpProxy proxy = newProxy();
        Application application = newApplicationBehind(proxy);
        Application other = newApplication();
        WarmUp.connect(application.locks(), key + ":warm-up");
        WarmUp.connect(other.locks(), key + ":warm-up");
        try (LockHandle held = other.locks().acquire(request)) {
            proxy.delayRequests(ROUND_TRIP);
            redis().configResetstat();
            AtomicLong tries = new AtomicLong();
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(elsewhere(() -> {
                    while (tries.get() < TRIES) {
                        assertThat(application.locks().tryAcquire(request)).isEmpty();
                        tries.incrementAndGet();
                    }
                    return null;
                }));
            }
            for (int i = 0; i < 2; i++) {
                LockRequest own = LockRequest.of(key + ":other:" + i);
                callers.add(elsewhere(() -> {
                    while (tries.get() < TRIES) {
                        application.locks().acquire(own).close();
                    }
                    return null;
                }));
            }
            for (Future<?> caller : callers) {
                resultOf(caller);
            }
            assertThat(scriptCalls()).as("commands for " + tries + " tries").isLessThan(tries.get() / 3);
            assertThat(held.isHeld()).isTrue();
        }
    }

    /** The key is never idle, but state of answered commands is removed anyway. */
    @Test
    @Tag(Effort.FULL)
    void keepsNoStateOfAnsweredCallsWhileTheKeyIsBusy() {
        try (RedisStore store = new RedisStore(server().uri()).with(settings())) {
            LockBackend backend = store.connect();
            backend.acquire(attempt(key, 1)).toCompletableFuture().join();
            List<WeakReference<?>> answered = new ArrayList<>();
            Deque<CompletableFuture<AcquireResult>> underWay = new ArrayDeque<>();
            int calls = 2_000;
            for (int i = 0; i < calls; i++) {
                backend.acquire(attempt(key + ":other:" + i, calls + 2 + i)); // so that the next one is collected
                underWay.add(backend.acquire(attempt(key, 2 + i)).toCompletableFuture());
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
            backend.acquire(attempt(key, 1)).toCompletableFuture().join();
            backend.acquire(attempt(key, 2, again)).toCompletableFuture().join();
            redis().configResetstat();
            proxy.stallReplies();
            List<CompletableFuture<AcquireResult>> attempts = Stream.iterate(3, i -> i + 1)
                    .limit(2_000)
                    .map(i -> backend.acquire(attempt(key + i, i, again)).toCompletableFuture())
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
