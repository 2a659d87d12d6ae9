package io.github.lockstarter.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.SignalListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LocalLockBackendConcurrencyTests {

    private static final int INSTANCES = 8;
    private static final int ROUNDS = 2_000;
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final LocalLockBackend backend = new LocalLockBackend();

    // Deliberately unsynchronised: written only under the lock.
    private final List<Long> fencingTokens = new ArrayList<>();
    private int counter;

    @Test
    void excludesAndSignalsInstancesThatOnlyTryAgainWhenSignalled() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(INSTANCES);
        try {
            List<Callable<Integer>> instances = new ArrayList<>();
            for (int i = 0; i < INSTANCES; i++) {
                instances.add(new Instance("instance-" + i));
            }
            for (Future<Integer> ended : threads.invokeAll(instances, 60, TimeUnit.SECONDS)) {
                assertThat(ended.get()).isEqualTo(ROUNDS);
            }
        } finally {
            threads.shutdownNow();
            backend.close();
        }

        assertThat(counter).isEqualTo(INSTANCES * ROUNDS);
        assertThat(fencingTokens).hasSize(INSTANCES * ROUNDS).isSorted().doesNotHaveDuplicates();
        assertThat(backend.size()).isEqualTo(1);
    }

    /** A client whose waits end only by signals: with a lost signal the test hangs. */
    private final class Instance implements Callable<Integer>, SignalListener {

        private final Semaphore signals = new Semaphore(0);
        private final String id;
        private long sequence;

        Instance(String id) {
            this.id = id;
            backend.listen(id, this);
        }

        @Override
        public Integer call() throws InterruptedException {
            int rounds = 0;
            while (rounds < ROUNDS) {
                LockToken token = new LockToken(id, ++sequence);
                long fencingToken = acquire(token);
                counter++;
                fencingTokens.add(fencingToken);
                backend.releaseToken(new ReleaseCommand("shared", token, fencingToken));
                rounds++;
            }
            return rounds;
        }

        private long acquire(LockToken token) throws InterruptedException {
            long position = Waiting.NEW;
            while (true) {
                Waiting waiting = new Waiting(position, LEASE);
                AcquireResult result = backend.attemptAcquire(
                                new AcquireCommand("shared", token, LEASE, 0, 1, Optional.of(waiting)))
                        .toCompletableFuture()
                        .join();
                if (result instanceof AcquireResult.Granted granted) {
                    return granted.fencingToken();
                }
                position = ((AcquireResult.Contended) result).position();
                signals.acquire();
            }
        }

        @Override
        public void onSignal(String key, int slot) {
            signals.release();
        }

        @Override
        public void onWanted(String key) {}

        @Override
        public void onRevoked(String key, String fingerprint) {}

        @Override
        public void onMailboxRestored() {
            signals.release();
        }
    }
}
