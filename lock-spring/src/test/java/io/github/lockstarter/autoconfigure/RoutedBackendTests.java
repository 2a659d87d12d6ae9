package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an operator sees of locks that are kept in two places. */
class RoutedBackendTests {

    private final LocalLockBackend redis = new LocalLockBackend();
    private final LocalLockBackend redlock = new LocalLockBackend();
    private final RoutedBackend routed = new RoutedBackend(
            BackendRoutes.of("redis", Map.of("order", "redlock")), Map.of("redis", redis, "redlock", redlock));

    @AfterEach
    void close() {
        redis.close();
        redlock.close();
    }

    @Test
    void looksAndTakesAwayWhereTheKeyIsKept() {
        AcquireResult.Granted granted = (AcquireResult.Granted) routed.acquire(new AcquireCommand(
                        "order:42", new LockToken("anna", 1), Duration.ofMinutes(1), 0, 1, Optional.empty()))
                .toCompletableFuture()
                .join();

        assertThat(routed.inspect("order:42").toCompletableFuture().join()).isInstanceOf(StoredLock.Held.class);
        assertThat(redis.inspect("order:42").toCompletableFuture().join()).isInstanceOf(StoredLock.Free.class);
        assertThat(routed.revoke("order:42", granted.fencingToken())
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Revocation.Revoked.class);
        assertThat(redlock.inspect("order:42").toCompletableFuture().join()).isInstanceOf(StoredLock.Free.class);
    }

    @Test
    void isAsWellAsTheWorseOfBoth() {
        assertThat(state().failure()).isEmpty();
        assertThat(state().target()).isEqualTo("this JVM, and this JVM");

        redlock.close();

        assertThat(state().failure())
                .hasValueSatisfying(failure -> assertThat(failure).contains("closed"));
    }

    @Test
    void takesLocksOverIfOneOfBothDoesAndSaysWhyTheOtherDoesNot() {
        CrashTakeOver off = CrashTakeOver.off("A quorum does not take locks over");

        assertThat(routed.crashTakeOver()).isEqualTo(CrashTakeOver.UNNEEDED);
        assertThat(takeOver(CrashTakeOver.UNNEEDED, off)).isEqualTo(off);
        assertThat(takeOver(CrashTakeOver.ON, off))
                .isEqualTo(new CrashTakeOver(CrashTakeOver.State.ON, off.reason(), ""));
        assertThat(takeOver(CrashTakeOver.ON, CrashTakeOver.ON)).isEqualTo(CrashTakeOver.ON);
        assertThat(takeOver(off, new CrashTakeOver(CrashTakeOver.State.OFF, "It is refused", "Grant it")))
                .isEqualTo(new CrashTakeOver(
                        CrashTakeOver.State.OFF, "A quorum does not take locks over. It is refused", "Grant it"));
    }

    private CrashTakeOver takeOver(CrashTakeOver ofRedis, CrashTakeOver ofRedlock) {
        Map<String, LockBackend> backends = Map.of(
                "redis", new CrashTakeOverStore(redis, ofRedis), "redlock", new CrashTakeOverStore(redlock, ofRedlock));
        return new RoutedBackend(BackendRoutes.of("redis", Map.of("order", "redlock")), backends).crashTakeOver();
    }

    private StoreState state() {
        return routed.state().toCompletableFuture().join();
    }
}
