package io.github.lockstarter.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Waiting, withdrawing and being signalled. */
class LocalLockSignalsTests extends LocalLocks {

    @Test
    void skipsASignalledInstanceThatDoesNotTryAgain() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        BlockingQueue<String> c = listen("c");
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);
        waitFor(third, Waiting.NEW);
        release(first, fencing);
        assertThat(b.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(KEY);
        LockToken barging = new LockToken("d", 1);

        release(barging, granted(acquire(barging)));

        assertThat(c.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(KEY);
        assertThat(b).isEmpty();
    }

    @Test
    void skipsWaitersWhoseWaitIsOverOrThatNeverListened() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        BlockingQueue<String> c = listen("c");
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);
        pass(LocalLocks.PATIENCE);
        waitFor(new LockToken("absent", 1), Waiting.NEW);
        waitFor(third, Waiting.NEW);

        release(first, fencing);

        assertThat(c.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(KEY);
        assertThat(b).isEmpty();
    }

    @Test
    void skipsTheFormerIdOfAnInstance() {
        SignalListener listener = onSignal(key -> {});
        backend.listen("b", listener);
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);

        backend.listen("another id", listener);

        assertThat(release(first, fencing)).isEqualTo(new ReleaseResult.Released(0));
    }

    @Test
    void withdrawingAnUnknownKeyStoresNothing() {
        withdraw(first);

        assertThat(backend.size()).isZero();
    }

    @Test
    void aTryKeepsThePlaceOfItsInstance() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        Duration lease = Duration.ofSeconds(1);
        granted(answer(backend.attemptAcquire(new AcquireCommand(KEY, first, lease, 0, 1, Optional.empty()))));
        waitFor(second, Waiting.NEW);
        pass(lease);
        LockToken trying = new LockToken("b", 2);

        release(trying, granted(acquire(trying)));

        assertThat(b.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(KEY);
    }

    @Test
    void aListenerCanUseTheBackend() {
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
    void signalsOtherListenersWhenOneThrows() throws InterruptedException {
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

        assertThat(c.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(KEY);
    }

    @Test
    void tellsTheOwnerAgainOnceTheWaitOfTheFirstInstanceIsOver() throws InterruptedException {
        listen("a");
        granted(acquire(first));
        waitFor(second, Waiting.NEW);
        pass(LocalLocks.PATIENCE);

        waitFor(third, Waiting.NEW);

        assertThat(wanted.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(KEY);
        assertThat(wanted.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(KEY);
    }

    @Test
    void doesNotCountWaitersWhoseWaitIsOver() {
        granted(acquire(first));
        waitFor(second, Waiting.NEW);
        pass(LocalLocks.PATIENCE);
        waitFor(third, Waiting.NEW);

        assertThat(acquire(first)).isInstanceOfSatisfying(Granted.class, again -> assertThat(again.othersWaiting())
                .isEqualTo(1));
    }

    @Test
    void doesNotQueueAReleasingInstanceBehindInstancesThatNeverListened() {
        listen("a");
        granted(acquire(first));
        waitFor(second, Waiting.NEW);

        assertThat(releaseAndWait(first)).isEqualTo(new ReleaseResult.Released(0));

        assertThat(acquire(third)).isInstanceOfSatisfying(Granted.class, grant -> assertThat(grant.othersWaiting())
                .isZero());
    }

    @Test
    void forgetsAReleasingInstanceWhenItsWaitIsOver() {
        listen("b");
        granted(acquire(first));
        waitFor(second, Waiting.NEW);
        assertThat(releaseAndWait(first)).isEqualTo(new ReleaseResult.Released(1));
        assertThat(acquire(third)).isInstanceOfSatisfying(Granted.class, grant -> assertThat(grant.othersWaiting())
                .isEqualTo(1));

        pass(LocalLocks.PATIENCE);

        assertThat(acquire(third)).isInstanceOfSatisfying(Granted.class, grant -> assertThat(grant.othersWaiting())
                .isZero());
    }

    @Test
    void aClosedBackendSignalsNobody() {
        listen("b");
        granted(acquire(first));
        waitFor(second, Waiting.NEW);
        backend.close();

        assertThat(releaseAndWait(first)).isEqualTo(new ReleaseResult.Released(0));
    }

    private ReleaseResult releaseAndWait(LockToken token) {
        return answer(backend.releaseToken(
                new ReleaseCommand(KEY, token, 0, new Wait.GoesOn(LocalLocks.PATIENCE), Duration.ZERO, Slots.ONLY)));
    }
}
