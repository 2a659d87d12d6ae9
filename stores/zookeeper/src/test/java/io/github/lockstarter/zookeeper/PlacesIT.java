package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.SignalListener;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What becomes of the node by which an instance waits. */
class PlacesIT {

    private static final String KEY = "places";
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final LockToken holder = new LockToken("a", 1);
    private final LockToken first = new LockToken("b", 1);
    private final LockToken second = new LockToken("c", 1);
    private final BlockingQueue<String> signals = new LinkedBlockingQueue<>();

    /** It is signalled, and stands still before it asks; an operator takes the lock away meanwhile. */
    @Test
    void aFirstWaiterIsNotGrantedALockThatWasTakenAway() throws InterruptedException {
        String server = ZooKeeperServers.shared().address();
        try (ZooKeeperLockBackend a = ZooKeeperClients.backend(server, ZooKeeperClients.SESSION);
                ZooKeeperLockBackend b = ZooKeeperClients.backend(server, ZooKeeperClients.SESSION);
                ZooKeeperLockBackend c = ZooKeeperClients.backend(server, ZooKeeperClients.SESSION)) {
            b.listen("b", new Signals());
            Granted granted = (Granted) acquire(a, holder);
            assertThat(acquire(b, first)).isInstanceOf(Contended.class);
            assertThat(acquire(c, second)).isInstanceOf(Contended.class);
            answer(a.release(new ReleaseCommand(KEY, holder, granted.fencingToken())));
            assertThat(signals.poll(10, TimeUnit.SECONDS)).isEqualTo(KEY);

            long seen = ((StoredLock.Held) answer(c.inspect(KEY))).fencingToken();
            assertThat(answer(c.revoke(KEY, seen))).isInstanceOf(Revocation.Revoked.class);

            assertThat(acquire(c, second)).isInstanceOf(Granted.class);
            assertThat(acquire(b, first)).isInstanceOf(Contended.class);
        }
    }

    private static AcquireResult acquire(ZooKeeperLockBackend backend, LockToken token) {
        Waiting waiting = new Waiting(Waiting.NEW, LEASE);
        return answer(backend.acquire(new AcquireCommand(KEY, token, LEASE, 0, 1, Optional.of(waiting))));
    }

    private static <R> R answer(CompletionStage<R> stage) {
        return stage.toCompletableFuture().join();
    }

    private final class Signals implements SignalListener {

        @Override
        public void onSignal(String key) {
            signals.add(key);
        }

        @Override
        public void onWanted(String key) {}

        @Override
        public void onRevoked(String key, String fingerprint) {}

        @Override
        public void onMailboxRestored() {}
    }
}
