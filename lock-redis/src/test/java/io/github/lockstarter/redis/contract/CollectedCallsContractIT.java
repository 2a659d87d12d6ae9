package io.github.lockstarter.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.contract.FencingTokenRaiseContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.StoreSuites;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Redis backend, on one server, against the contract, where attempts and releases travel together. */
class CollectedCallsContractIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final String INSTANCE = "0123456789abcdef0123456789abcdef";

    private static LockStore collecting() {
        return new CollectingStore(new RedisStore(REDIS.server().uri()));
    }

    /** Calls that are collected, or behind such a call, do not wait for two timeouts in a row. */
    @Test
    @Tag(Effort.TIMING)
    void answersWithinOneCommandTimeoutWhenTheServerHangs() {
        Duration commandTimeout = Duration.ofSeconds(2);
        try (LockStore store =
                new RedisStore(REDIS.server().uri()).with(RedisStore.guarding(Duration.ofSeconds(2), commandTimeout))) {
            LockBackend backend = store.connect();
            backend.attemptAcquire(attempt("first", 1)).toCompletableFuture().join();
            REDIS.server().pause();
            long began = System.nanoTime();
            backend.attemptAcquire(attempt("under way", 2));
            List<CompletionStage<?>> calls = List.of(
                    backend.attemptAcquire(attempt("key", 3)),
                    backend.releaseToken(new ReleaseCommand("first", new LockToken(INSTANCE, 1), 0)),
                    backend.releaseToken(ReleaseCommand.endOfWait("key", new LockToken(INSTANCE, 4))));
            calls.forEach(call -> call.toCompletableFuture().join());
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            assertThat(took).isBetween(commandTimeout, commandTimeout.multipliedBy(2));
        } finally {
            REDIS.server().resume();
        }
    }

    /** Attempts are sent behind the releases that were made before, whoever sends which. */
    @Test
    void releasesAKeyBeforeTheNextAttemptOfItsThread() {
        try (LockStore store = new RedisStore(REDIS.server().uri())) {
            LockBackend backend = store.connect();
            long number = 0;
            for (int round = 0; round < 200; round++) {
                String key = "key:" + round;
                LockToken token = new LockToken(INSTANCE, ++number);
                assertThat(backend.attemptAcquire(attempt(key, number))
                                .toCompletableFuture()
                                .join())
                        .isInstanceOf(AcquireResult.Granted.class);
                for (int other = 0; other < round % 5; other++) {
                    backend.attemptAcquire(attempt("other:" + round + ":" + other, ++number));
                    backend.releaseToken(new ReleaseCommand("none:" + other, new LockToken(INSTANCE, ++number), 0));
                }
                backend.releaseToken(new ReleaseCommand(key, token, 0));
                assertThat(backend.attemptAcquire(attempt(key, ++number))
                                .toCompletableFuture()
                                .join())
                        .isInstanceOf(AcquireResult.Granted.class);
            }
        }
    }

    private static AcquireCommand attempt(String key, long number) {
        return new AcquireCommand(key, new LockToken(INSTANCE, number), Duration.ofSeconds(60), 0, 1, Optional.empty());
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(CollectedCallsContractIT::collecting);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class All extends StoreSuites {
        @Override
        protected LockStore store() {
            return collecting();
        }

        @Override
        protected LockStore hastyStore() {
            return new CollectingStore(RedisStore.on(REDIS.server())
                    .with(RedisStore.guarding(Duration.ofSeconds(2), Duration.ofSeconds(1))));
        }

        @Nested
        class FencingTokenRaise extends FencingTokenRaiseContract {
            FencingTokenRaise() {
                super(CollectedCallsContractIT::collecting);
            }
        }
    }
}
