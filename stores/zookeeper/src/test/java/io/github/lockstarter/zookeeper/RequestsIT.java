package io.github.lockstarter.zookeeper;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many requests a lock costs the server. */
@Timeout(300)
class RequestsIT {

    private static final Pattern RECEIVED = Pattern.compile("Received: (\\d+)");
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final int TIMES = 100;

    /** For requests of the sessions and of this test. */
    private static final int OTHERS = TIMES / 2;

    private final ZooKeeperServer server = ZooKeeperServers.shared();

    @Test
    void anUncontendedLockTakesThreeRequests() {
        try (ZooKeeperLockBackend backend = ZooKeeperClients.backend(server.address(), ZooKeeperClients.SESSION);
                Application application = Application.over(backend)) {
            application.locks().acquire("own").close();
            int before = received();

            for (int i = 0; i < TIMES; i++) {
                application.locks().acquire("own").close();
            }

            assertThat(received() - before).isBetween(3 * TIMES, 3 * TIMES + OTHERS);
        }
    }

    @Test
    void aChangeOfTheOwnerTakesFourRequests() throws InterruptedException {
        List<Instance> instances = Stream.of("a", "b", "c").map(Instance::new).toList();
        instances.forEach(Instance::queue);
        int before = received();

        for (int i = 0; i < TIMES; i++) {
            instances.get(i % instances.size()).takeAndPassOn();
        }

        int requests = received() - before;
        instances.forEach(Instance::close);
        // The last owner's watch may reach the server after the count.
        assertThat(requests).isBetween(4 * (TIMES - 1), 4 * TIMES + OTHERS);
    }

    private int received() {
        Matcher received = RECEIVED.matcher(server.ask("srvr"));
        assertThat(received.find()).isTrue();
        return Integer.parseInt(received.group(1));
    }

    private final class Instance implements SignalListener {

        private final String name;
        private final ZooKeeperLockBackend backend =
                ZooKeeperClients.backend(server.address(), ZooKeeperClients.SESSION);
        private final BlockingQueue<String> signals = new LinkedBlockingQueue<>();
        private int attempts;
        private AcquireResult result = new Contended(Optional.empty(), 0);

        private Instance(String name) {
            this.name = name;
            backend.listen(name, this);
        }

        void queue() {
            LockToken token = new LockToken(name, ++attempts);
            Waiting waiting = new Waiting(Waiting.NEW, LEASE);
            result = answer(
                    backend.attemptAcquire(new AcquireCommand("contended", token, LEASE, 0, 1, Optional.of(waiting))));
        }

        /** Waits for the signal, unless it has the lock, and continues to wait behind the others. */
        void takeAndPassOn() throws InterruptedException {
            if (result instanceof Contended) {
                assertThat(signals.poll(Patience.SECONDS, TimeUnit.SECONDS)).isNotNull();
                queue();
            }
            Granted granted = (Granted) result;
            result = new Contended(Optional.empty(), 0);
            answer(backend.releaseToken(new ReleaseCommand(
                    "contended",
                    new LockToken(name, attempts),
                    granted.fencingToken(),
                    new Wait.GoesOn(LEASE),
                    Duration.ZERO,
                    Slots.ONLY)));
        }

        void close() {
            backend.close();
        }

        @Override
        public void onSignal(String key, int slot) {
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
