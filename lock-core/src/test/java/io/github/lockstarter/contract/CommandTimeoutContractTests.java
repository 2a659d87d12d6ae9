package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** {@link CommandTimeoutContract} fails for a store that violates it. */
class CommandTimeoutContractTests {

    @Test
    void failsForAStoreWithoutATimeout() {
        assertThatThrownBy(() -> pauseStoreThatAnswers(new CompletableFuture<>()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("answer to 'acquire'");
    }

    @Test
    void failsForAStoreThatRefusesWithoutAnAnswerFromItsServer() {
        AcquireResult no = new AcquireResult.Contended(Optional.empty(), 0);

        assertThatThrownBy(() -> pauseStoreThatAnswers(CompletableFuture.completedFuture(no)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("answer to 'acquire'");
    }

    private static void pauseStoreThatAnswers(CompletionStage<?> whilePaused) {
        CommandTimeoutContract suite = new CommandTimeoutContract(() -> new WrongStore(whilePaused)) {};
        suite.connectTwoApplications();
        try {
            suite.answersEveryCommandWithinTheCommandTimeoutWhileTheStoreHangs();
        } finally {
            suite.resume();
            suite.disconnectAll();
        }
    }

    /** An in-JVM store that answers every command during a pause with the same result. */
    private static final class WrongStore implements LockStore {

        private final LocalLockBackend backend = new LocalLockBackend();
        private final AtomicBoolean paused = new AtomicBoolean();
        private final CompletionStage<?> whilePaused;

        WrongStore(CompletionStage<?> whilePaused) {
            this.whilePaused = whilePaused;
        }

        @Override
        public LockBackend connect() {
            return (LockBackend) Proxy.newProxyInstance(
                    LockBackend.class.getClassLoader(),
                    new Class<?>[] {LockBackend.class},
                    (proxy, method, arguments) -> {
                        if (!paused.get()) {
                            return method.invoke(backend, arguments);
                        }
                        return method.getReturnType() == List.class ? List.of(whilePaused, whilePaused) : whilePaused;
                    });
        }

        @Override
        public Optional<Duration> commandTimeout() {
            return Optional.of(Duration.ofMillis(100));
        }

        @Override
        public void pause() {
            paused.set(true);
        }

        @Override
        public void resume() {
            paused.set(false);
        }

        @Override
        public void close() {
            backend.close();
        }
    }
}
