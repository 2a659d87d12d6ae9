package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.testing.RedisExtension;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisLockBackendIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private RedisLockBackend backend;

    @BeforeEach
    void connect() {
        backend = new RedisLockBackend(
                new DirectRedisConnector(REDIS.server().uri(), RedisSettings.DEFAULTS), RedisSettings.DEFAULTS);
        backend.start();
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void costsTwoNetworkReadsToAcquireAndRelease() {
        cycle(1);
        assertThat(REDIS.server().readsDuring(() -> cycle(2))).isEqualTo(2);
    }

    private void cycle(long sequence) {
        LockToken token = new LockToken("00", sequence);
        AcquireResult acquired = backend.acquire(
                        new AcquireCommand("order:42", token, Duration.ofSeconds(30), 0, Optional.empty()))
                .toCompletableFuture()
                .join();
        assertThat(acquired).isInstanceOf(AcquireResult.Granted.class);
        long fencingToken = ((AcquireResult.Granted) acquired).fencingToken();
        assertThat(backend.release(new ReleaseCommand("order:42", token, fencingToken))
                        .toCompletableFuture()
                        .join())
                .isEqualTo(new ReleaseResult.Released());
    }
}
