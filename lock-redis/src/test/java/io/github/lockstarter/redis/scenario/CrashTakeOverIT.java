package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks of an instance that has crashed, is paused, or is cut off, under a lease that outlives the test. */
class CrashTakeOverIT extends RedisScenario {

    private static final Duration TAKE_OVER = EngineSettings.DEFAULTS.crashTakeOver();

    private final LockRequest patient = request.waitingUpTo(ofSeconds(50));

    @Test
    void takesOverTheLockOfAKilledProcess() throws Exception {
        Application heir = takingPart(newApplication());
        try (ChildJvm holder = holding()) {
            holder.awaitLine(line -> line.startsWith("held "), Patience.TIME);
            Future<LockHandle> next = elsewhere(() -> heir.locks().acquire(patient));
            awaitWaiting();

            holder.kill();

            LockHandle taken = next.get(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(heir.events().of(LockEvent.Acquired.class)).last().satisfies(event -> {
                assertThat(event.path()).isEqualTo(Path.TAKEN_OVER);
                assertThat(event.takenOverFrom()).isPresent();
            });
            assertThat(taken.fencingToken()).isGreaterThan(fencingTokenOf(holder));
            taken.close();
        }
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void doesNotTakeOverTheLockOfAPausedProcess() throws Exception {
        Application heir = takingPart(newApplication());
        try (ChildJvm holder = holding()) {
            holder.awaitLine(line -> line.startsWith("held "), Patience.TIME);
            Future<LockHandle> next = elsewhere(() -> heir.locks().acquire(patient));
            awaitWaiting();
            String stored = redis().get(lockKey);

            holder.pause();
            letPass(TAKE_OVER.multipliedBy(4));
            assertThat(next).isNotDone();
            assertThat(redis().get(lockKey)).isEqualTo(stored);
            holder.resume();

            letPass(TAKE_OVER);
            assertThat(redis().get(lockKey)).isEqualTo(stored);
            holder.kill();
            resultOf(next).close();
        }
    }

    @Test
    @Tag(Effort.FULL)
    void leavesTheLockOfAnInstanceWithoutTakeOverToItsLease() throws Exception {
        Application heir = takingPart(newApplication());
        try (ChildJvm holder = holding("0")) {
            holder.awaitLine(line -> line.startsWith("held "), Patience.TIME);
            Future<LockHandle> next = elsewhere(() -> heir.locks().acquire(patient));
            awaitWaiting();

            holder.kill();
            letPass(TAKE_OVER.multipliedBy(4));

            assertThat(next).isNotDone();
            redis().del(lockKey);
            resultOf(next).close();
        }
    }

    @Test
    @Tag(Effort.FULL)
    void keepsALockWhoseConnectionsAreCutRepeatedly() throws Exception {
        Application holder = takingPart(newApplication());
        Application rival = takingPart(newApplication());
        try (LockHandle held = holder.locks().acquire(request)) {
            Future<LockHandle> next = elsewhere(() -> rival.locks().acquire(patient));
            awaitWaiting();
            for (int i = 0; i < 10; i++) {
                redis().clientKill(KillArgs.Builder.typePubsub());
                letPass(ofMillis(200));
                redis().clientKill(KillArgs.Builder.typeNormal());
                letPass(ofMillis(200));
            }

            held.ensureHeld();
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(held.isHeld()).isTrue());
            assertThat(next).isNotDone();
            assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();
            held.release();
            resultOf(next).close();
        }
    }

    @Test
    void aDisconnectedHolderIsInDoubtAndThenLosesTheLock() throws Exception {
        TcpProxy proxy = newProxy();
        Application holder = takingPart(newApplicationBehind(proxy));
        Application heir = takingPart(newApplication());
        LockHandle held = holder.locks().acquire(request);
        Future<Long> grantedAt = elsewhere(() -> {
            try (LockHandle next = heir.locks().acquire(patient)) {
                long now = System.nanoTime();
                letPass(TAKE_OVER);
                return next.isHeld() ? now : 0;
            }
        });
        awaitWaiting();

        proxy.refuse();
        proxy.cut();
        long lastHeld = lastTimeHeldUntil(grantedAt, held);

        assertThat(grantedAt.get()).isGreaterThan(lastHeld);
        assertThat(holder.events().of(LockEvent.InDoubt.class)).hasSize(1);
        proxy.accept();
        assertThatThrownBy(held::ensureHeld)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("another instance took the lock over");
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(holder.events().of(LockEvent.Lost.class))
                        .singleElement()
                        .extracting(LockEvent.Lost::cause)
                        .isEqualTo(LossCause.TAKEN_OVER));
    }

    @Test
    void aHolderIsInDoubtWhileRedisIsStoppedAndHoldsTheLockAfterwards() {
        Application holder = takingPart(newApplication());
        LockHandle held = holder.locks().acquire(request);
        LockHandle unrenewed =
                holder.locks().acquire(LockRequest.of(key + ":unrenewed").withoutRenewal());

        server().pause();
        await().atMost(Patience.TIME).until(() -> !held.isHeld() && !unrenewed.isHeld());
        assertThat(holder.admin().heldLocks().snapshot())
                .extracting(HeldLock::state)
                .containsOnly(HoldState.IN_DOUBT);
        await().atMost(Patience.TIME)
                .untilAsserted(() ->
                        assertThat(holder.events().of(LockEvent.InDoubt.class)).hasSize(2));
        assertThatThrownBy(held::ensureHeld)
                .as("the server has not answered for a command timeout")
                .isInstanceOf(LockBackendException.class);
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        server().resume();

        held.ensureHeld();
        unrenewed.ensureHeld();
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(holder.events().of(LockEvent.Confirmed.class))
                        .hasSize(2));
        assertThat(held.isHeld() && unrenewed.isHeld()).isTrue();
        assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();
        held.close();
        unrenewed.close();
    }

    private long fencingTokenOf(ChildJvm holder) {
        String line = holder.awaitLine(each -> each.startsWith("held "), Patience.TIME);
        return Long.parseLong(line.substring("held ".length()));
    }

    private ChildJvm holding(String... takeOver) {
        String[] arguments = {Integer.toString(server().port()), key, Long.toString(LONG_LEASE.toMillis())};
        return ChildJvm.start(
                HoldingJvm.class,
                takeOver.length == 0
                        ? arguments
                        : new String[] {arguments[0], arguments[1], arguments[2], takeOver[0]});
    }
}
