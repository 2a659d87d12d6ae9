package io.github.lockstarter.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.SignalListener;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;

/** A local backend with a manual clock, and short names for its commands. */
abstract class LocalLocks {

    static final String KEY = "order:42";
    static final Duration LEASE = Duration.ofSeconds(30);

    /** How long the store keeps a registration. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 7); // the monotonic clock may overflow
    final LocalLockBackend backend = new LocalLockBackend(nanos::get);
    final LockToken first = new LockToken("a", 1);
    final LockToken second = new LockToken("b", 1);
    final LockToken third = new LockToken("c", 1);

    final BlockingQueue<String> wanted = new LinkedBlockingQueue<>();

    @AfterEach
    void closeBackend() {
        backend.close();
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    AcquireResult acquire(LockToken token) {
        return answer(backend.attemptAcquire(new AcquireCommand(KEY, token, LEASE, 0, 1, Optional.empty())));
    }

    long waitFor(LockToken token, long position) {
        Waiting waiting = new Waiting(position, PATIENCE);
        AcquireResult result =
                answer(backend.attemptAcquire(new AcquireCommand(KEY, token, LEASE, 0, 1, Optional.of(waiting))));
        assertThat(result).isInstanceOf(Contended.class);
        return ((Contended) result).position();
    }

    ReleaseResult release(LockToken token, long fencingToken) {
        return answer(backend.releaseToken(new ReleaseCommand(KEY, token, fencingToken)));
    }

    void withdraw(LockToken token) {
        assertThat(answer(backend.releaseToken(ReleaseCommand.endOfWait(KEY, token))))
                .isInstanceOf(ReleaseResult.Released.class);
    }

    BlockingQueue<String> listen(String instanceId) {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        backend.listen(instanceId, onSignal(received::add));
        return received;
    }

    SignalListener onSignal(Consumer<String> action) {
        return new SignalListener() {
            @Override
            public void onSignal(String key, int slot) {
                action.accept(key);
            }

            @Override
            public void onWanted(String key) {
                wanted.add(key);
            }

            @Override
            public void onRevoked(String key, String fingerprint) {}

            @Override
            public void onMailboxRestored() {
                throw new AssertionError("a mailbox in the same JVM is never disconnected");
            }
        };
    }

    static long granted(AcquireResult result) {
        assertThat(result).isInstanceOf(Granted.class);
        return ((Granted) result).fencingToken();
    }

    static <R> R answer(CompletionStage<R> stage) {
        return stage.toCompletableFuture().join();
    }
}
