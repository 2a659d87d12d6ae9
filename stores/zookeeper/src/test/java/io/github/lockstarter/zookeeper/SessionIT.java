package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.ProxyLink;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock whose holder's session ends, is in doubt, or continues elsewhere. */
@Timeout(120)
class SessionIT {

    private static final Duration SESSION = Duration.ofSeconds(2);

    private final LockRequest request = LockRequest.of("session:" + UUID.randomUUID());
    private final List<AutoCloseable> open = new ArrayList<>();
    private final ZooKeeperServer server = ZooKeeperServers.shared();
    private TcpProxy proxy;
    private CuratorFramework client;
    private Application holder;
    private Application other;

    @BeforeEach
    void start() {
        proxy = opened(TcpProxy.before(server));
        client = opened(ZooKeeperClients.connect(proxy.address(), SESSION));
        holder = application(client);
        other = application(opened(ZooKeeperClients.connect(server.address(), SESSION)));
        WarmUp.connect(holder.locks(), "warm-up");
        WarmUp.connect(other.locks(), "warm-up");
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        if (!server.answers()) {
            server.restart();
        }
    }

    @Test
    void aHoldIsInDoubtBeforeTheServerGrantsTheLockToAnother() {
        LockHandle held = holder.locks().acquire(request);
        AtomicLong lastHeld = new AtomicLong();
        CompletableFuture<LockHandle> next = other.locks().acquireAsync(request.waitingUpTo(Patience.TIME));
        CompletableFuture<Long> taken = next.thenApply(grant -> System.nanoTime());

        long cut = System.nanoTime();
        disconnect();
        await().pollInterval(Duration.ofMillis(5)).atMost(Patience.TIME).until(() -> {
            long before = System.nanoTime();
            if (held.isHeld()) {
                lastHeld.set(before);
            }
            return taken.isDone();
        });

        assertThat(Duration.ofNanos(lastHeld.get() - cut)).isLessThanOrEqualTo(SESSION.dividedBy(2));
        assertThat(Duration.ofNanos(taken.join() - lastHeld.get())).isGreaterThan(SESSION.dividedBy(8));
        assertThat(next.join().fencingToken()).isGreaterThan(held.fencingToken());
        next.join().close();
    }

    @Test
    void aHolderLearnsOfTheLossWhenItReconnects() {
        LockHandle held = holder.locks().acquire(request);
        disconnect();
        LockHandle next = other.locks().acquire(request.waitingUpTo(Patience.TIME));
        assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();

        reconnect();

        await().atMost(Patience.TIME)
                .untilAsserted(() ->
                        assertThat(holder.events().of(LockEvent.Lost.class)).hasSize(1));
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void losesTheLockWhenTheClientGivesUpItsSession() throws Exception {
        LockHandle held = holder.locks().acquire(request);

        expireSession(client);

        await().atMost(Patience.TIME)
                .untilAsserted(() ->
                        assertThat(holder.events().of(LockEvent.Lost.class)).hasSize(1));
        assertThat(held.isHeld()).isFalse();
        assertThat(other.locks().acquire(request.waitingUpTo(Patience.TIME)).fencingToken())
                .isGreaterThan(held.fencingToken());
    }

    @Test
    void keepsWaitingWhenItsSessionIsReplaced() throws Exception {
        LockHandle held = other.locks().acquire(request);
        CompletableFuture<LockHandle> waiting = holder.locks().acquireAsync(request.waitingUpTo(Patience.TIME));
        await().atMost(Patience.TIME).until(() -> !holder.admin().waiters().isEmpty());

        expireSession(client);
        held.close();

        assertThat(waiting.get(Patience.SECONDS, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    @Tag(Effort.FULL)
    void aHoldInDoubtIsCertainAgainWithItsSession() {
        Application patient = patientApplication(Duration.ofSeconds(12));
        LockHandle held = patient.locks().acquire(request);

        proxy.refuse();
        proxy.cut();
        await().atMost(Patience.TIME).until(() -> held.state() == HoldState.IN_DOUBT);
        assertThat(held.isHeld()).isFalse();
        reconnect();

        await().atMost(Patience.TIME).until(held::isHeld);
        assertThat(patient.events().of(LockEvent.Lost.class)).isEmpty();
        assertThat(other.locks().tryAcquire(request)).isEmpty();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void keepsTheLockThroughARestartOfTheServer() throws Exception {
        Application patient = patientApplication(Duration.ofSeconds(60));
        LockHandle held = patient.locks().acquire(request);

        server.stop();
        server.restart();

        await().atMost(Patience.TIME).until(held::isHeld);
        assertThat(patient.events().of(LockEvent.Lost.class)).isEmpty();
        await().atMost(Patience.TIME).ignoreExceptions().untilAsserted(() -> assertThat(
                        other.locks().tryAcquire(request))
                .isEmpty());
        // The holder's client connects again on its own: without it, the outcome of a release is unknown.
        await().atMost(Patience.TIME).ignoreExceptions().untilAsserted(() -> patient.locks()
                .acquire(LockRequest.of("connected-again"))
                .close());
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        other.locks().acquire(request.waitingUpTo(Patience.TIME)).close();
    }

    @Test
    void deletesTheNodeOfAnAttemptWhoseAnswerIsLost() {
        proxy.stallReplies();
        assertThatThrownBy(() -> holder.locks().acquire(request)).isInstanceOf(LockBackendException.class);

        reconnect();

        // Cleaned up by the client or by the end of its session, whichever is first.
        try (LockHandle next = other.locks().acquire(request.waitingUpTo(Patience.TIME))) {
            assertThat(next.isHeld()).isTrue();
        }
        // Until its client is connected again, an attempt has no answer.
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> {
                    try (LockHandle again = holder.locks().acquire(request.waitingUpTo(Patience.TIME))) {
                        assertThat(again.isHeld()).isTrue();
                    }
                });
    }

    @Test
    void failsWithinTheCommandTimeoutWhileNoServerAnswers() {
        disconnect();

        long start = System.nanoTime();
        assertThatThrownBy(() -> holder.locks().acquire(request.waitingUpTo(Patience.TIME.multipliedBy(2))))
                .isInstanceOf(LockBackendException.class);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Patience.TIME);
    }

    @Test
    void aProofAfterASilenceCountsOnceASecondOneFollows() {
        ScheduledExecutorService timer = LockThreads.timer("test-session");
        opened(timer::shutdownNow);
        long longAgo = System.nanoTime() - TimeUnit.HOURS.toNanos(1);
        Session session = new Session(client, ZooKeeperClients.settings(SESSION), timer, longAgo);

        Duration first = timeOf(session.prove());
        Duration second = timeOf(session.prove());

        assertThat(first).isGreaterThanOrEqualTo(SESSION.dividedBy(4));
        assertThat(second).isLessThan(SESSION.dividedBy(8));
    }

    @Test
    void aSessionThatReplacesAKnownOneIsCertainAtOnce() throws Exception {
        ScheduledExecutorService timer = LockThreads.timer("test-session");
        opened(timer::shutdownNow);
        Duration timeout = Duration.ofSeconds(20); // a second proof would follow after 5.6 s
        CuratorFramework over = opened(ZooKeeperClients.connect(server.address(), timeout));
        long longAgo = System.nanoTime() - TimeUnit.HOURS.toNanos(1);
        Session session = new Session(over, ZooKeeperClients.settings(timeout), timer, longAgo);
        long before = session.current();
        assertThat(session.coversGrant(before, System.nanoTime())).isCompletedWithValue(false);

        expireSession(over);
        await().atMost(Patience.TIME).until(() -> session.current() != before && session.current() != Session.NONE);

        assertThat(session.coversGrant(session.current(), System.nanoTime())).isCompletedWithValue(true);
    }

    @Test
    void grantsLocksOnceItHasConnectedWithAStartedClient() {
        Duration timeout = Duration.ofSeconds(14); // certain after 3.9 s, longer than a command may take
        CuratorFramework started = opened(ZooKeeperClients.connect(server.address(), timeout));
        ZooKeeperLockBackend backend = opened(new ZooKeeperLockBackend(started, ZooKeeperClients.settings(timeout)));
        Application late = opened(Application.over(backend));

        assertThat(backend.connect(Duration.ofSeconds(1))).isEmpty();

        late.locks().acquire(request.withoutWaiting()).close();
    }

    @Test
    void worksAgainAfterItsServerHungAndWasReplaced() {
        List<ProxyLink> before = proxy.open();
        proxy.hang();
        await().atMost(Patience.TIME)
                .until(() -> !before.containsAll(proxy.open())); // connects to the server that hangs
        proxy.replace();

        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> holder.locks()
                        .acquire(request.waitingUpTo(Patience.TIME))
                        .close());
    }

    @Test
    void connectsToAServerThatIsStartedLater() throws Exception {
        TcpProxy late = opened(TcpProxy.before(server));
        late.refuse();
        Application early = application(opened(ZooKeeperClients.start(late.address(), SESSION)));
        assertThatThrownBy(() -> early.locks().acquire(request)).isInstanceOf(LockBackendException.class);

        late.accept();
        await().atMost(Patience.TIME).ignoreExceptions().until(() -> {
            try (LockHandle lock = early.locks().acquire(request)) {
                return lock.isHeld();
            }
        });
        early.close();
    }

    @Test
    void aCommandThatTheClientGivesUpDoesNotBlockItsKey() throws Exception {
        AtomicBoolean hasNoSockets = new AtomicBoolean();
        CuratorFramework exhausted = opened(CuratorFrameworkFactory.builder()
                .connectString(server.address())
                .sessionTimeoutMs((int) SESSION.toMillis())
                .retryPolicy(new RetryOneTime(50))
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> {
                    if (hasNoSockets.get()) {
                        throw new IOException("Too many open files");
                    }
                    return new ZooKeeper(servers, timeout, watcher, readOnly);
                })
                .build());
        Application blocked = application(exhausted);
        blocked.locks().acquire("warm-up").close();

        hasNoSockets.set(true);
        expireSession(exhausted);
        await().atMost(Patience.TIME)
                .until(() -> !exhausted.getZookeeperClient().isConnected());
        assertThatThrownBy(() -> blocked.locks().acquire(request)).isInstanceOf(LockBackendException.class);
        hasNoSockets.set(false);

        await().atMost(Patience.TIME).ignoreExceptions().until(() -> {
            try (LockHandle lock = blocked.locks().acquire(request)) {
                return lock.isHeld();
            }
        });
    }

    private static Duration timeOf(CompletableFuture<OptionalLong> proof) {
        long start = System.nanoTime();
        assertThat(proof.join()).isPresent();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static void expireSession(CuratorFramework client) throws Exception {
        client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
    }

    /** Nothing passes, and no packet says so: as when a cable is pulled. */
    private void disconnect() {
        proxy.refuse();
        proxy.stallRequests();
        proxy.stallReplies();
    }

    /** Closes connections that were disconnected, with everything that was held back, and lets new ones through. */
    private void reconnect() {
        proxy.cut();
        proxy.flow();
        proxy.accept();
    }

    /** Its session and its lease outlast the time without a connection, which the other sessions may not. */
    private Application patientApplication(Duration session) {
        ZooKeeperLockBackend backend = opened(ZooKeeperClients.backend(proxy.address(), session));
        return opened(Application.over(backend, Application.settings(Duration.ofSeconds(60))));
    }

    private Application application(CuratorFramework over) {
        ZooKeeperLockBackend backend = opened(new ZooKeeperLockBackend(over, ZooKeeperClients.settings(SESSION)));
        return opened(Application.over(backend));
    }

    private <C extends AutoCloseable> C opened(C closeable) {
        open.add(closeable);
        return closeable;
    }
}
