package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Network reads of the server per lock. */
class NetworkCostIT extends RedisScenario {

    /** Without heartbeats, which would be counted too. */
    private final Application application =
            newApplication(Application.settings(LONG_LEASE).withCrashTakeover(Duration.ZERO));

    @BeforeEach
    void connectAndLoadTheScripts() {
        warmedUp(application);
    }

    @Test
    void anUncontendedAcquireAndReleaseCostTwoReads() {
        assertThat(readsOf100(() -> application.locks().acquire(request).close()))
                .isBetween(200L, 210L);
    }

    /** Of 100 runs, since the client sends something of its own from time to time. */
    private static long readsOf100(Runnable action) {
        return server().readsDuring(() -> {
            for (int i = 0; i < 100; i++) {
                action.run();
            }
        });
    }

    /** Commands of a client and stored data of a lock are the same without permits and with one. */
    @Test
    @Tag(Effort.FULL)
    void onePermitCostsTheSameCommandsAsALock() throws Exception {
        List<String> ofLock = sentFor(request);

        assertThat(ofLock).hasSizeGreaterThan(50).anyMatch(lockKey::equals);
        assertThat(sentFor(request.permits(1))).isEqualTo(ofLock);
        assertThat(sentFor(request.permits(2))).as("the control").isNotEqualTo(ofLock);
    }

    /** The words of commands for calls, and the stored data; without counters. */
    private List<String> sentFor(LockRequest asked) throws Exception {
        TcpProxy proxy = newProxy();
        Application other = warmedUp(newApplicationThatTrustsSignals());
        Application recorded = warmedUp(newApplicationBehind(proxy, Application.settingsThatTrustSignals()));
        List<String> words = new CopyOnWriteArrayList<>();
        proxy.refuseRequests(sent -> {
            Stream.of(sent.split("\r\n", -1)).map(NetworkCostIT::withoutCounts).forEach(words::add);
            return false;
        });

        LockHandle alone = recorded.locks().acquire(asked);
        words.add(withoutCounts(redis().get(lockKey)));
        alone.close();
        recorded.locks().acquire(asked.minHold(Duration.ofMillis(1))).close();
        await().atMost(Patience.TIME).until(() -> redis().exists(lockKey) == 0);
        List<LockHandle> held = IntStream.range(0, asked.terms().permits().orElse(1))
                .mapToObj(i -> other.locks().acquire(asked.ownedByHandle()))
                .toList();
        assertThat(recorded.locks().tryAcquire(asked.withoutWaiting())).isEmpty();
        Future<LockHandle> waiting = recorded.locks().acquireAsync(asked.maxWait(Patience.TIME));
        await().atMost(Patience.TIME).until(() -> redis().zcard(waitersKey) == 1);
        held.forEach(LockHandle::close);
        resultOf(waiting).close();
        assertNothingLeft();
        return List.copyOf(words);
    }

    private static String withoutCounts(String word) {
        return word.replaceAll("[0-9a-f]{32}:\\d+(\\|.*)?", "token")
                .replaceFirst("^\\$\\d+$", "length")
                .replaceFirst("^\\d+(@\\d+)?(?= |$)", "number");
    }

    /** One command each quarter of the takeover time. */
    @Test
    @Tag(Effort.TIMING)
    void crashTakeoverCostsFourBeatsASecond() {
        Duration time = Duration.ofSeconds(2);
        assertThat(server().readsDuring(() -> letPass(time)))
                .as("without takeover")
                .isZero();
        warmedUp(newApplication());
        assertThat(server().readsDuring(() -> letPass(time))).isBetween(4L, 12L);
    }

    @Test
    void aMinimumHoldCostsNoAdditionalRead() {
        application.locks().acquire(request).close();
        assertThat(readsOf100(() -> {
                    String next = key + ':' + UUID.randomUUID();
                    application
                            .locks()
                            .acquire(LockRequest.of(next).minHold(Duration.ofMillis(1)))
                            .close();
                }))
                .isBetween(200L, 210L);
    }

    @Test
    void askingAHandleCostsNoRead() {
        try (LockHandle held = application.locks().acquire(request)) {
            assertThat(readsOf100(() -> {
                        assertThat(held.isHeld()).isTrue();
                        assertThat(held.remainingLease()).isPositive();
                        assertThat(held.fencingToken()).isPositive();
                        held.ensureHeld();
                        assertThat(application.locks().heldLocks().size()).isOne();
                    }))
                    .isLessThan(10);
        }
    }
}
