package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reported owner of a lock for any stored value. */
class StoredOwnerIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final String OWNER = "0123456789abcdef0123456789abcdef";

    /** A fencing token, which is before each token of ours. */
    private static final String FENCING = "1795389832734445 ";

    private final RedisLockBackend backend = new RedisLockBackend(
            new DirectRedisConnector(REDIS.server().uri(), RedisStore.DEFAULTS), RedisStore.DEFAULTS);

    @AfterEach
    void close() {
        backend.close();
    }

    private Optional<LockHolder> inspected(String value) {
        REDIS.server().commands().set("lock:{order:42}", value);
        StoredLock seen = backend.inspect("order:42", 0).toCompletableFuture().join();
        return ((StoredLock.Held) seen).holder();
    }

    private Optional<LockHolder> refusing() {
        AcquireResult refused = backend.attemptAcquire(new AcquireCommand(
                        "order:42", new LockToken("b", 1), Duration.ofSeconds(5), 0, 1, Optional.empty()))
                .toCompletableFuture()
                .join();
        return ((AcquireResult.Contended) refused).holder();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "abc",
                FENCING,
                FENCING + "x:1",
                FENCING + OWNER,
                FENCING + OWNER + ":",
                FENCING + OWNER + ":1x",
                FENCING + OWNER + ":1x|17 main",
                FENCING + ":1|17 main",
                OWNER + ":1",
                OWNER + ":1|17 main",
                "x" + FENCING + OWNER + ":1|17 main",
                "|",
                "{}"
            })
    void isNobodyOfOursWhereTheValueIsNoToken(String value) {
        assertThat(inspected(value)).isEmpty();
        assertThat(refusing()).isEmpty();
    }

    @Test
    void showsTheInstanceWhenTheTokenNamesNoOwner() {
        assertThat(inspected(FENCING + OWNER + ":1")).hasValue(new LockHolder("01234567"));
        assertThat(refusing()).isEmpty();
    }

    @Test
    void showsTheOwnerThatTheTokenNames() {
        LockHolder holder = new LockHolder("01234567", Optional.of("main"), Optional.of(Instant.ofEpochMilli(17)));

        assertThat(inspected(FENCING + OWNER + ":1|17 main")).hasValue(holder);
        assertThat(refusing()).hasValue(holder);
    }

    @Test
    void showsAShortPrintableOwnerForAnyStoredValue() {
        String value = FENCING + OWNER + ":1|17 \u001b[31m\n|:" + "y".repeat(100_000);

        assertThat(inspected(value).flatMap(LockHolder::owner)).hasValueSatisfying(StoredOwnerIT::isShortAndPrintable);
        assertThat(refusing().flatMap(LockHolder::owner)).hasValueSatisfying(StoredOwnerIT::isShortAndPrintable);
    }

    private static void isShortAndPrintable(String name) {
        assertThat(name).hasSizeLessThanOrEqualTo(LockToken.LONGEST_OWNER).matches("[ -~]+");
    }
}
