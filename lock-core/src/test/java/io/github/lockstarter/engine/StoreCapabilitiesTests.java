package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.StoreCapabilities;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The engine uses only capabilities that the store declares. */
class StoreCapabilitiesTests {

    private static final LockRequest REQUEST = LockRequest.of("key").maxWait(Duration.ofSeconds(15));

    private final Queue<Integer> tokensAskedFor = new ConcurrentLinkedQueue<>();

    @Test
    void asksForOneFencingTokenWhenAGrantCanCoverOnlyOne() throws Exception {
        assertThat(handOversWith(StoreCapabilities.ALL.fencingTokens())).isPositive();
        assertThat(tokensAskedFor).anyMatch(tokens -> tokens > 1);

        tokensAskedFor.clear();
        assertThat(handOversWith(1)).isZero();
        assertThat(tokensAskedFor).hasSizeGreaterThan(5).containsOnly(1);
    }

    @Test
    void refusesImpossibleNumbers() {
        for (int tokens : new int[] {0, -1, AcquireCommand.MAX_FENCING_TOKENS + 1}) {
            assertThatThrownBy(() -> withTokens(tokens))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not " + tokens);
        }
    }

    /** Otherwise the caller would rely on a time after its release in which another instance can have the lock. */
    @Test
    void refusesAMinimumHoldThatTheStoreCannotKeepOnEveryWayIn() {
        try (LocalLockBackend store = new LocalLockBackend();
                Application application = Application.over(declaring(store, withoutMinimumHolds()))) {
            LockRequest plain = LockRequest.of("key");
            LockRequest kept = plain.minHold(Duration.ofSeconds(5));
            LockRequest several = LockRequest.ofAll(List.of("key", "other"));
            try (LockHandle held = application.locks().acquire(several);
                    LockHandle part = held.reenter(plain).orElseThrow()) {
                List<ThrowingCallable> ways = List.of(
                        () -> application.locks().acquire(kept),
                        () -> application.locks().tryAcquire(kept),
                        () -> application.locks().acquireAsync(kept).join(),
                        () -> application.locks().acquire(LockRequest.of("free").minHold(Duration.ofSeconds(5))),
                        () -> held.reenter(kept),
                        () -> held.extend(several.minHold(Duration.ofSeconds(5))),
                        () -> part.extend(kept));
                assertThat(ways).allSatisfy(way -> assertThatThrownBy(way)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("has a minimum hold of 5s, and this lock store keeps no lock"));
            }
            assertThat(application.locks().heldLocks().size()).isZero();
        }
    }

    private static StoreCapabilities withoutMinimumHolds() {
        return new StoreCapabilities(StoreCapabilities.ALL.fencingTokens(), false, true, true, true);
    }

    /** The number of handovers among six callers of one application. */
    private long handOversWith(int fencingTokens) throws Exception {
        try (LocalLockBackend store = new LocalLockBackend();
                Application application = Application.over(declaring(store, withTokens(fencingTokens)))) {
            LockHandle before = application.locks().acquire(REQUEST);
            List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                waiters.add(application.locks().acquireAsync(REQUEST).toCompletableFuture());
            }
            await().until(() ->
                    application.events().of(LockEvent.Contended.class).size() == 6);
            before.release();
            for (CompletableFuture<LockHandle> waiter : waiters) {
                waiter.get(Patience.SECONDS, TimeUnit.SECONDS).release();
            }
            return application.events().of(LockEvent.Acquired.class).stream()
                    .filter(acquired -> acquired.path() == LockEvent.Path.HANDED_OVER)
                    .count();
        }
    }

    private static StoreCapabilities withTokens(int fencingTokens) {
        return new StoreCapabilities(fencingTokens, true, true, true, true);
    }

    private LockBackend declaring(LockBackend store, StoreCapabilities capabilities) {
        return (LockBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockBackend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("capabilities")) {
                        return capabilities;
                    }
                    if (method.getName().equals("attemptAcquire")) {
                        tokensAskedFor.add(((AcquireCommand) arguments[0]).fencingTokens());
                    }
                    return method.invoke(store, arguments);
                });
    }
}
