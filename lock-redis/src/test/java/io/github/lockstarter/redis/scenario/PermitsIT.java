package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Permits of instances that crash, are paused or are disconnected, and of servers that lose them. */
class PermitsIT extends RedisScenario {

    private static final Duration TAKE_OVER = EngineSettings.DEFAULTS.crashTakeOver();

    /** By the design 1.6 s; the rest is for the stalls of a loaded machine. */
    private static final Duration SOON = ofMillis(1_600 + 900);

    private final LockRequest permit = request.ownedByHandle().waitingUpTo(ofSeconds(50));

    /** Permits of two instances that are killed together become free together. */
    @Test
    void takesOverAllPermitsOfKilledProcessesTogether() throws Exception {
        takesOverAllPermits(2, 2);
    }

    @Test
    @Tag(Effort.FULL)
    void takesOverAllPermitsOfOneKilledProcessTogether() throws Exception {
        takesOverAllPermits(3, 1);
    }

    private void takesOverAllPermits(int ofEach, int processes) throws Exception {
        int permits = ofEach * processes;
        Application heir = takingPart(newApplication());
        List<ChildJvm> holders = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                holders.add(holding(permits, ofEach));
            }
            holders.forEach(holder -> holder.awaitLine(line -> line.startsWith("held "), Patience.TIME));
            List<CompletableFuture<LockHandle>> waiting = IntStream.range(0, permits)
                    .mapToObj(i -> heir.locks().acquireAsync(permit.permits(permits)))
                    .toList();
            awaitWaiting();
            letPass(TAKE_OVER);

            long killed = System.nanoTime();
            holders.forEach(ChildJvm::kill);
            List<Long> took = new ArrayList<>();
            List<LockHandle> taken = new ArrayList<>();
            for (CompletableFuture<LockHandle> each : waiting) {
                taken.add(resultOf(each));
                took.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed));
            }
            System.out.println(ofEach + " permits of each of " + processes + " killed JVMs: granted after ms " + took);

            assertThat(took).allMatch(time -> time < SOON.toMillis());
            assertThat(taken).extracting(LockHandle::slot).doesNotHaveDuplicates();
            assertThat(heir.events().of(LockEvent.Acquired.class))
                    .filteredOn(event -> event.key().equals(key))
                    .hasSize(permits)
                    .allMatch(event -> event.path() == Path.TAKEN_OVER);
            List<String> tokens =
                    holders.stream().flatMap(holder -> holder.lines().stream()).toList();
            assertThat(taken).allMatch(each -> each.fencingToken() > tokenOf(each.slot(), tokens));
            taken.forEach(LockHandle::close);
        } finally {
            holders.forEach(ChildJvm::close);
        }
        assertNothingLeftOf(permits);
    }

    @Test
    @Tag(Effort.FULL)
    void keepsThePermitsOfAPausedProcess() throws Exception {
        Application heir = takingPart(newApplication());
        try (ChildJvm holder = holding(3, 2)) {
            holder.awaitLine(line -> line.startsWith("held "), Patience.TIME);
            LockHandle third = heir.locks().acquire(permit.permits(3));
            CompletableFuture<LockHandle> next = heir.locks().acquireAsync(permit.permits(3));
            awaitWaiting();
            List<String> stored = stored(3);

            holder.pause();
            letPass(TAKE_OVER.multipliedBy(3));
            assertThat(next).isNotDone();
            assertThat(stored(3)).isEqualTo(stored);
            holder.resume();
            letPass(TAKE_OVER);
            assertThat(stored(3)).isEqualTo(stored);

            assertThat(third.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(resultOf(next).slot()).isEqualTo(third.slot());
        }
    }

    @Test
    void holdsOneSlotWhenTheAttemptIsExecutedTwice() throws Exception {
        TcpProxy proxy = newProxy();
        Application first = warmedUp(newApplication());
        Application cut = warmedUp(newApplicationBehind(proxy));
        LockHandle other = first.locks().acquire(permit.permits(2));
        CompletableFuture<String> dropped = proxy.dropReplyTo(sent -> sent.contains(lockKey));
        proxy.refuse();
        CompletableFuture<LockHandle> acquiring = cut.locks().acquireAsync(permit.permits(2));
        dropped.get(Patience.SECONDS, TimeUnit.SECONDS);
        other.close();
        proxy.accept();

        LockHandle held;
        try {
            held = resultOf(acquiring);
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(LockBackendException.class); // it took too long to connect again
            assertNothingLeftOf(2);
            return;
        }

        assertThat(held.slot()).isEqualTo(1);
        assertThat(redis().exists(slot(0))).isZero();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertNothingLeftOf(2);
    }

    @Test
    void freesTheSlotOfAnAttemptWhoseReplyIsDelayed() throws Exception {
        TcpProxy proxy = newProxy();
        Application first = warmedUp(newApplication());
        Application stalled = warmedUp(newApplicationBehind(proxy));
        LockHandle other = first.locks().acquire(permit.permits(3));
        proxy.stallReplies();
        CompletableFuture<LockHandle> acquiring = stalled.locks().acquireAsync(permit.permits(3));
        await().atMost(Patience.TIME).untilAsserted(() -> assertThat(redis().exists(slot(1)))
                .as("granted, with an unknown outcome")
                .isOne());
        await().atMost(Patience.TIME).until(acquiring::isCompletedExceptionally);
        proxy.flow();

        await().atMost(Patience.TIME).untilAsserted(() -> assertThat(redis().exists(slot(1), slot(2)))
                .isZero());
        assertThat(other.isHeld()).isTrue();
        other.close();
        assertNothingLeftOf(3);
    }

    /** A server that has lost both slots restores both from their holders, and grants none meanwhile. */
    @Test
    void restoresEachForgottenSlot() throws Exception {
        Duration lease = ofSeconds(10);
        RedisSettings settings = RedisStore.patient(lease);
        assertThat(isGrantedToAThirdOnceForgotten(settings, lease)).isFalse();
    }

    /** The control: without the guard, a failover loses a slot. */
    @Test
    @Tag(Effort.FULL)
    void grantsAForgottenSlotWithoutTheGuard() throws Exception {
        assertThat(isGrantedToAThirdOnceForgotten(RedisStore.WITHOUT_GRACE, ofSeconds(10)))
                .isTrue();
    }

    private boolean isGrantedToAThirdOnceForgotten(RedisSettings settings, Duration lease) throws Exception {
        EngineSettings engine = Application.settings(lease).withCrashTakeOver(Duration.ZERO);
        LockRequest two = permit.permits(2).leasedFor(lease);
        try (RedisStore store = new RedisStore(server().uri()).with(settings);
                Application first = warmedUp(Application.over(store.connect(), engine));
                Application second = warmedUp(Application.over(store.connect(), engine));
                Application third = warmedUp(Application.over(store.connect(), engine))) {
            LockHandle one = first.locks().acquire(two);
            LockHandle other = second.locks().acquire(two);
            assertThat(List.of(one.slot(), other.slot())).containsExactlyInAnyOrder(0, 1);

            redis().flushall();
            long end = System.nanoTime() + lease.multipliedBy(2).toNanos();
            while (System.nanoTime() < end && redis().exists(slot(0), slot(1)) < 2) {
                if (isGranted(third, two)) {
                    return true;
                }
                letPass(ofMillis(20));
            }
            assertThat(stored(2)).allMatch(owner -> owner != null);
            assertThat(isGranted(third, two)).isFalse();
            assertThat(one.isHeld() && other.isHeld()).isTrue();
            assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(redis().exists(slot(other.slot()))).isZero();
            assertThat(redis().exists(slot(one.slot()))).isOne();
            assertThat(one.release()).isEqualTo(ReleaseOutcome.RELEASED);
            return false;
        }
    }

    private static boolean isGranted(Application application, LockRequest request) {
        try {
            return application.locks().tryAcquire(request.withoutWaiting()).isPresent();
        } catch (LockStoreRecoveringException e) {
            return false;
        }
    }

    private String slot(int slot) {
        return KeySpace.slotOf(lockKey, slot);
    }

    private List<String> stored(int permits) {
        return IntStream.range(0, permits).mapToObj(i -> redis().get(slot(i))).toList();
    }

    private void assertNothingLeftOf(int permits) {
        assertNothingLeft();
        await().atMost(Patience.TIME).untilAsserted(() -> IntStream.range(0, permits)
                .forEach(i ->
                        assertThat(redis().exists(slot(i))).as("slot %d", i).isZero()));
    }

    private static long tokenOf(int slot, List<String> lines) {
        String start = "slot " + slot + " ";
        return lines.stream()
                .filter(line -> line.startsWith(start))
                .mapToLong(line -> Long.parseLong(line.substring(start.length())))
                .findFirst()
                .orElseThrow();
    }

    private ChildJvm holding(int permits, int count) {
        return ChildJvm.start(
                PermitsJvm.class,
                Integer.toString(server().port()),
                key,
                Long.toString(LONG_LEASE.toMillis()),
                Integer.toString(permits),
                Integer.toString(count));
    }
}
