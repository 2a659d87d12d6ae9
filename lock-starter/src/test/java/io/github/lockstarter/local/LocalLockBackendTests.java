package io.github.lockstarter.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.AcquireResult.Rejected;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LocalLockBackendTests {

    private static final String KEY = "order:42";
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 7); // the monotonic clock may overflow
    private final LocalLockBackend backend = new LocalLockBackend(nanos::get);
    private final LockToken first = new LockToken("a", 1);
    private final LockToken second = new LockToken("b", 1);
    private final LockToken third = new LockToken("c", 1);

    @AfterEach
    void closeBackend() {
        backend.close();
    }

    @Test
    void grantsOneTokenAndTellsTheOtherHowLongTheLeaseStillRuns() {
        granted(acquire(first));
        pass(Duration.ofSeconds(10));

        assertThat(acquire(second)).isEqualTo(new Contended(Optional.of(Duration.ofSeconds(20)), Waiting.NEW));
    }

    @Test
    void answersARepeatedAcquireWithTheSameFencingToken() {
        assertThat(acquire(first)).isEqualTo(acquire(first));
    }

    @Test
    void grantsAnewWithAHigherFencingTokenOnceTheLeaseIsOver() {
        long before = granted(acquire(first));
        pass(LEASE);

        assertThat(granted(acquire(second))).isGreaterThan(before);
        assertThat(release(first, before)).isInstanceOf(ReleaseResult.NotHeld.class);
        assertThat(acquire(third)).isInstanceOf(Contended.class);
    }

    @Test
    void grantsAboveTheFloorThatTheCallerHasSeen() {
        long floor = 8_000_000_000_000_000L;

        assertThat(granted(answer(backend.acquire(new AcquireCommand(KEY, first, LEASE, floor, Optional.empty())))))
                .isEqualTo(floor + 1);
    }

    @Test
    void fencingTokensGrowWhenTheWallClockStepsBack() {
        AtomicLong wall = new AtomicLong(1_800_000_000_000L);
        try (LocalLockBackend stepping = new LocalLockBackend(nanos::get, () -> Instant.ofEpochMilli(wall.get()))) {
            AcquireCommand command = new AcquireCommand(KEY, first, LEASE, 0, Optional.empty());
            long before = granted(answer(stepping.acquire(command)));
            stepping.release(new ReleaseCommand(KEY, first, before));
            wall.addAndGet(-3_600_000);

            assertThat(before).isEqualTo(1_800_000_000_000_000L);
            assertThat(granted(answer(stepping.acquire(command)))).isEqualTo(before + 1);
        }
    }

    @Test
    void renewalMovesTheEndOfTheLeaseAndNeverShortensIt() {
        granted(acquire(first));
        pass(Duration.ofSeconds(10));

        assertThat(renew(first, Duration.ofSeconds(5))).isInstanceOf(RenewResult.Renewed.class);
        assertThat(acquire(second)).isEqualTo(new Contended(Optional.of(Duration.ofSeconds(20)), Waiting.NEW));
        assertThat(renew(first, LEASE)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(acquire(second)).isEqualTo(new Contended(Optional.of(LEASE), Waiting.NEW));
    }

    @Test
    void renewalNeitherRevivesAnExpiredHoldNorHelpsAStranger() {
        granted(acquire(first));

        assertThat(renew(second, LEASE)).isInstanceOf(RenewResult.NotHeld.class);
        pass(LEASE);
        assertThat(renew(first, LEASE)).isInstanceOf(RenewResult.NotHeld.class);
    }

    @Test
    void onlyTheOwnersTokenReleases() {
        long fencing = granted(acquire(first));

        assertThat(release(second, fencing)).isInstanceOf(ReleaseResult.NotHeld.class);
        assertThat(acquire(third)).isInstanceOf(Contended.class);
    }

    @Test
    void aRepeatedReleaseIsAnsweredTheSameUntilSomebodyElseHasHadTheLock() {
        long fencing = granted(acquire(first));

        assertThat(release(first, fencing)).isInstanceOf(ReleaseResult.Released.class);
        assertThat(release(first, fencing)).isInstanceOf(ReleaseResult.Released.class);
        release(second, granted(acquire(second)));
        assertThat(release(first, fencing)).isInstanceOf(ReleaseResult.NotHeld.class);
    }

    @Test
    void aReleaseOfAnAttemptThatWasNeverGrantedFindsNothing() {
        assertThat(release(first, 0)).isInstanceOf(ReleaseResult.NotHeld.class);
        assertThat(backend.size()).isZero();
    }

    @Test
    void aReleaseSignalsTheLongestWaitingInstanceOnly() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        BlockingQueue<String> c = listen("c");
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);
        waitFor(third, Waiting.NEW);
        waitFor(second, Waiting.NEW);

        release(first, fencing);

        assertThat(b.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
        release(first, fencing);
        assertNothingIsOnItsWay();
        assertThat(b).isEmpty();
        assertThat(c).isEmpty();
    }

    @Test
    void aWokenInstanceThatComesTooLateGetsItsOldPlaceBack() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        BlockingQueue<String> c = listen("c");
        long fencing = granted(acquire(first));
        long position = waitFor(second, Waiting.NEW);
        waitFor(third, Waiting.NEW);
        release(first, fencing);
        LockToken barging = new LockToken("d", 1);
        long bargingFencing = granted(acquire(barging));

        assertThat(waitFor(second, position)).isEqualTo(position);
        release(barging, bargingFencing);

        assertThat(b.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
        assertThat(b.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
        assertThat(c).isEmpty();
    }

    @Test
    void aWokenInstanceThatDoesNotComeBackIsPassedOver() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        BlockingQueue<String> c = listen("c");
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);
        waitFor(third, Waiting.NEW);
        release(first, fencing);
        assertThat(b.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
        LockToken barging = new LockToken("d", 1);

        release(barging, granted(acquire(barging)));

        assertThat(c.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
        assertThat(b).isEmpty();
    }

    @Test
    void waitersWhosePatienceIsOverOrThatNeverListenedAreSkipped() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        BlockingQueue<String> c = listen("c");
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);
        pass(PATIENCE);
        waitFor(new LockToken("absent", 1), Waiting.NEW);
        waitFor(third, Waiting.NEW);

        release(first, fencing);

        assertThat(c.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
        assertThat(b).isEmpty();
    }

    @Test
    void aWithdrawnInstanceIsNotSignalled() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        BlockingQueue<String> c = listen("c");
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);
        waitFor(third, Waiting.NEW);

        withdraw(second);
        release(first, fencing);

        assertThat(c.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
        assertThat(b).isEmpty();
    }

    @Test
    void withdrawPassesASignalOnThatWasAlreadySent() throws InterruptedException {
        listen("b");
        BlockingQueue<String> c = listen("c");
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);
        waitFor(third, Waiting.NEW);
        release(first, fencing);

        withdraw(second);

        assertThat(c.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
    }

    @Test
    void withdrawFreesALockThatWasGrantedMeanwhile() throws InterruptedException {
        BlockingQueue<String> c = listen("c");
        granted(acquire(second));
        waitFor(third, Waiting.NEW);

        withdraw(second);

        assertThat(c.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
        granted(acquire(third));
    }

    @Test
    void withdrawOfAnUnknownKeyLeavesNothing() {
        withdraw(first);

        assertThat(backend.size()).isZero();
    }

    @Test
    void anAttemptThatDoesNotWaitLeavesTheRegistrationOfItsInstance() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        Duration lease = Duration.ofSeconds(1);
        granted(answer(backend.acquire(new AcquireCommand(KEY, first, lease, 0, Optional.empty()))));
        waitFor(second, Waiting.NEW);
        pass(lease);
        LockToken trying = new LockToken("b", 2);

        release(trying, granted(acquire(trying)));

        assertThat(b.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
    }

    @Test
    void aListenerMayUseTheBackend() {
        AtomicLong entered = new AtomicLong(1);
        int rounds = 20_000; // deep enough to overflow a stack if signals were delivered inside release
        backend.listen("b", onSignal(key -> {
            LockToken token = new LockToken("b", entered.incrementAndGet());
            long fencing = granted(acquire(token));
            if (entered.get() < rounds) {
                waitFor(second, Waiting.NEW);
                release(token, fencing);
            }
        }));
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);

        release(first, fencing);

        await().untilAsserted(() -> assertThat(entered).hasValue(rounds));
    }

    @Test
    void aListenerThatThrowsKeepsNobodyElseFromBeingSignalled() throws InterruptedException {
        backend.listen("b", onSignal(key -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {});
            throw new IllegalStateException("planted");
        }));
        BlockingQueue<String> c = listen("c");
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);
        waitFor(third, Waiting.NEW);
        release(first, fencing);

        withdraw(second);

        assertThat(c.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);
    }

    @Test
    void keysOfThePastAreForgottenAndTheirFencingTokensStillGrow() {
        long before = granted(acquire(first));
        release(first, before);

        for (int i = 0; i < 10 * RecentGrants.KEPT; i++) {
            LockToken token = new LockToken("a", i);
            answer(backend.acquire(new AcquireCommand("churn:" + i, token, LEASE, 0, Optional.empty())));
            if (i % 2 == 0) {
                backend.release(new ReleaseCommand("churn:" + i, token, 0));
            } else {
                pass(LEASE); // as if the holder had died
            }
        }

        assertThat(backend.size()).isBetween(1, RecentGrants.KEPT);
        assertThat(granted(acquire(second))).isGreaterThan(before);
    }

    @Test
    void keysInUseAreNotForgotten() {
        granted(acquire(first));
        for (int i = 0; i < 3 * RecentGrants.KEPT; i++) {
            answer(backend.acquire(new AcquireCommand("held:" + i, first, LEASE, 0, Optional.empty())));
        }

        assertThat(backend.size()).isEqualTo(3 * RecentGrants.KEPT + 1);
        assertThat(acquire(second)).isInstanceOf(Contended.class);
    }

    @Test
    void aClosedBackendGrantsNothingButLetsHoldersRelease() {
        long fencing = granted(acquire(first));
        backend.close();
        backend.close();

        assertThat(acquire(second)).isInstanceOf(Rejected.class);
        assertThat(release(first, fencing)).isInstanceOf(ReleaseResult.Released.class);
    }

    @Test
    void anIdleBackendHasNoThread() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);
        release(first, fencing);
        assertThat(b.poll(5, TimeUnit.SECONDS)).isEqualTo(KEY);

        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("lock-local-signals")));
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private AcquireResult acquire(LockToken token) {
        return answer(backend.acquire(new AcquireCommand(KEY, token, LEASE, 0, Optional.empty())));
    }

    private long waitFor(LockToken token, long position) {
        Waiting waiting = new Waiting(position, PATIENCE);
        AcquireResult result = answer(backend.acquire(new AcquireCommand(KEY, token, LEASE, 0, Optional.of(waiting))));
        assertThat(result).isInstanceOf(Contended.class);
        return ((Contended) result).position();
    }

    private RenewResult renew(LockToken token, Duration lease) {
        return answer(
                backend.renew(List.of(new RenewCommand(KEY, token, lease, 0))).get(0));
    }

    private ReleaseResult release(LockToken token, long fencingToken) {
        return answer(backend.release(new ReleaseCommand(KEY, token, fencingToken)));
    }

    private void withdraw(LockToken token) {
        assertThat(answer(backend.withdraw(new WithdrawCommand(KEY, token))))
                .isInstanceOf(WithdrawResult.Withdrawn.class);
    }

    private BlockingQueue<String> listen(String instanceId) {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        backend.listen(instanceId, onSignal(received::add));
        return received;
    }

    /** Signals arrive in order, so one that is sent now arrives after every earlier one. */
    private void assertNothingIsOnItsWay() throws InterruptedException {
        BlockingQueue<String> last = listen("last");
        LockToken holder = new LockToken("x", 1);
        LockToken waiter = new LockToken("last", 1);
        answer(backend.acquire(new AcquireCommand("other", holder, LEASE, 0, Optional.empty())));
        Waiting waiting = new Waiting(Waiting.NEW, PATIENCE);
        answer(backend.acquire(new AcquireCommand("other", waiter, LEASE, 0, Optional.of(waiting))));
        backend.release(new ReleaseCommand("other", holder, 0));
        assertThat(last.poll(5, TimeUnit.SECONDS)).isEqualTo("other");
    }

    private static SignalListener onSignal(Consumer<String> action) {
        return new SignalListener() {
            @Override
            public void onSignal(String key) {
                action.accept(key);
            }

            @Override
            public void onMailboxRestored() {
                throw new AssertionError("a mailbox in the same JVM is never disconnected");
            }
        };
    }

    private static long granted(AcquireResult result) {
        assertThat(result).isInstanceOf(Granted.class);
        return ((Granted) result).fencingToken();
    }

    private static <R> R answer(CompletionStage<R> stage) {
        return stage.toCompletableFuture().join();
    }
}
