package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.contract.RedisStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that is killed with held locks and restarts, with and without its data. */
@Timeout(300)
class RestartIT {

    private static final Duration LEASE = RedisScenario.LONG_LEASE;
    private static final LockRequest REQUEST =
            LockRequest.of("scenario:restart").leasedFor(LEASE);

    private final AtomicInteger losses = new AtomicInteger();

    @Test
    void reportsALossWhenTheDataIsLostWithoutTheGuard() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(RedisStore.WITHOUT_GRACE);
                ClockedEngine application = new ClockedEngine(store.connect(), Application.settings(LEASE))) {
            LockHandle held = acquireCountingLosses(application);

            server.kill();
            server.restart();
            application.passUntilTheRenewal(LEASE);

            application.passUntil(() -> losses.get() == 1);
            assertThat(application.events().of(LockEvent.Lost.class))
                    .singleElement()
                    .extracting(LockEvent.Lost::cause)
                    .isNotEqualTo(LockEvent.LossCause.LEASE_EXPIRED);
            assertThat(held.isHeld()).isFalse();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
            assertThat(acquireOnceItIsBack(application)).isGreaterThan(held.fencingToken());
            assertThat(losses).hasValue(1);
        }
    }

    @Test
    void keepsTheLockThroughARestartWithPersistence() {
        try (RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
                RedisStore store = new RedisStore(server.uri());
                ClockedEngine application = new ClockedEngine(store.connect(), Application.settings(LEASE))) {
            LockHandle held = acquireCountingLosses(application);

            server.kill();
            server.restart();
            application.passUntilTheRenewal(LEASE);

            application.passUntil(() -> application.events().of(LockEvent.Renewed.class).stream()
                    .anyMatch(renewed -> renewed.outcome() == LockEvent.RenewalOutcome.RENEWED));
            assertThat(held.isHeld()).isTrue();
            assertThat(losses).hasValue(0);
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(acquireOnceItIsBack(application)).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    void grantsAGreaterFencingTokenAfterTheDataIsLost() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(RedisStore.WITHOUT_GRACE);
                ClockedEngine before = new ClockedEngine(store.connect(), Application.settings(LEASE));
                ClockedEngine after = new ClockedEngine(store.connect(), Application.settings(LEASE))) {
            LockHandle held = acquireCountingLosses(before);

            server.kill();
            server.restart();

            assertThat(acquireOnceItIsBack(after)).isGreaterThan(held.fencingToken());
        }
    }

    /** Each lock by a call of its own would time out, and each retry would send them all again. */
    @Test
    void restoresFiveThousandLocksWithFewScripts() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = new RedisStore(server.uri()).with(RedisStore.guarding(LEASE));
                ClockedEngine application = new ClockedEngine(store.connect(), Application.settings(LEASE))) {
            List<CompletableFuture<LockHandle>> held = IntStream.range(0, 5_000)
                    .mapToObj(i -> application
                            .locks()
                            .acquireAsync(LockRequest.of("many:" + i).leasedFor(LEASE)))
                    .toList();
            assertThat(held).allSatisfy(each -> assertThat(each).succeedsWithin(Patience.TIME));

            server.kill();
            server.restart();
            application.passUntilTheRenewal(LEASE);

            application.passUntil(() -> server.commands().keys("lock:{many:*").size() == held.size());
            application.passUntil(() -> application.events().of(LockEvent.Renewed.class).stream()
                            .filter(renewed -> renewed.outcome() == LockEvent.RenewalOutcome.RENEWED)
                            .count()
                    >= held.size());
            assertThat(held).allMatch(each -> each.join().isHeld());
            long scripts = scriptCalls(server);
            long renewals = application.events().of(LockEvent.Renewed.class).size();
            assertThat(scripts).isBetween(100L, renewals / 10); // a slow machine renews more than once
        }
    }

    /** Since the server was started. */
    private static long scriptCalls(RedisServer server) {
        Map<String, String> stats = server.info("commandstats");
        return Stream.of("cmdstat_eval", "cmdstat_evalsha")
                .map(command -> stats.getOrDefault(command, "calls=0,"))
                .mapToLong(calls -> Long.parseLong(calls.substring("calls=".length(), calls.indexOf(','))))
                .sum();
    }

    private LockHandle acquireCountingLosses(ClockedEngine application) {
        LockHandle held = application.locks().acquire(REQUEST);
        held.onLost(losses::incrementAndGet);
        return held;
    }

    private static long acquireOnceItIsBack(ClockedEngine application) {
        long[] fencingToken = new long[1];
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> {
                    try (LockHandle lock = application.locks().acquire(REQUEST)) {
                        fencingToken[0] = lock.fencingToken();
                    }
                });
        return fencingToken[0];
    }
}
