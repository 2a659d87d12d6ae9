package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
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
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock whose holder's session ends, is in doubt, or continues elsewhere. */
@Timeout(300)
class SessionIT {

    /** For what the servers or the client have to end. */
    private static final Duration BRIEF = Duration.ofSeconds(2);

    /** For commands that no server answers; others are repeated until one is in time. */
    private static final Duration HASTY = Duration.ofSeconds(1);

    private static final Duration LEASE = Duration.ofSeconds(60);

    private final LockRequest request = LockRequest.of("session:" + UUID.randomUUID());
    private final List<AutoCloseable> open = new ArrayList<>();
    private final ZooKeeperServer server = ZooKeeperServers.shared();
    private TcpProxy proxy;
    private @Nullable Application other;

    @BeforeEach
    void start() {
        proxy = opened(TcpProxy.before(server));
    }

    /** Reaches the server directly, from the first call on. */
    private Application other() {
        if (other == null) {
            other = application(client(server.address(), ZooKeeperClients.SESSION));
        }
        return other;
    }

    @AfterEach
    void closeAll() throws Exception {
        reconnect(); // a client that cannot reach its server does not close at once
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        if (!server.answers()) {
            server.restart();
        }
    }

    @Test
    void aHoldIsInDoubtBeforeTheServerGrantsTheLockToAnother() {
        LockHandle held = acquiredSometime(application(client(proxy.address(), BRIEF), HASTY));
        AtomicLong lastHeld = new AtomicLong();
        CompletableFuture<LockHandle> next = other().locks().acquireAsync(request.maxWait(Patience.TIME));
        CompletableFuture<Long> taken = next.thenApply(grant -> System.nanoTime());

        disconnect();
        long cut = System.nanoTime();
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            long before = System.nanoTime();
            if (held.isHeld()) {
                lastHeld.set(before);
            }
            return taken.isDone();
        });

        assertThat(Duration.ofNanos(lastHeld.get() - cut)).isLessThanOrEqualTo(BRIEF.dividedBy(2));
        assertThat(Duration.ofNanos(taken.join() - lastHeld.get())).isPositive();
        assertThat(next.join().fencingToken()).isGreaterThan(held.fencingToken());
        next.join().close();
    }

    @Test
    void aHolderLearnsOfTheLossWhenItReconnects() throws Exception {
        CuratorFramework client = client(proxy.address(), ZooKeeperClients.SESSION);
        Application holder = application(client);
        LockHandle held = holder.locks().acquire(request);
        disconnect();
        endSession(client.getZookeeperClient().getZooKeeper());
        LockHandle next = other().locks().acquire(request.maxWait(Patience.TIME));
        assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();

        reconnect();

        await().untilAsserted(() ->
                assertThat(holder.events().of(LockEvent.Lost.class)).hasSize(1));
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void losesTheLockWhenTheClientGivesUpItsSession() throws Exception {
        CuratorFramework client = client(proxy.address(), ZooKeeperClients.SESSION);
        Application holder = application(client);
        LockHandle held = holder.locks().acquire(request);

        giveUpSession(client);

        await().untilAsserted(() ->
                assertThat(holder.events().of(LockEvent.Lost.class)).hasSize(1));
        assertThat(held.isHeld()).isFalse();
        assertThat(other().locks().acquire(request.maxWait(Patience.TIME)).fencingToken())
                .isGreaterThan(held.fencingToken());
    }

    @Test
    void keepsWaitingWhenItsSessionIsReplaced() throws Exception {
        CuratorFramework client = client(proxy.address(), ZooKeeperClients.SESSION);
        Application waiter = application(client);
        LockHandle held = other().locks().acquire(request);
        CompletableFuture<LockHandle> waiting = waiter.locks().acquireAsync(request.maxWait(Patience.TIME));
        await().until(() -> !waiter.admin().waiters().isEmpty());

        giveUpSession(client);
        held.close();

        assertThat(waiting.get(Patience.SECONDS, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    @Tag(Effort.FULL)
    void aHoldInDoubtIsCertainAgainWithItsSession() {
        Application holder = application(client(proxy.address(), Duration.ofSeconds(20))); // in doubt after half of it
        LockHandle held = holder.locks().acquire(request);

        proxy.refuse();
        proxy.cut();
        await().until(() -> held.state() == HoldState.IN_DOUBT);
        assertThat(held.isHeld()).isFalse();
        reconnect();

        await().until(held::isHeld);
        assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();
        assertThat(other().locks().tryAcquire(request)).isEmpty();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    @Tag(Effort.FULL)
    void keepsTheLockThroughARestartOfTheServer() throws Exception {
        Application holder = application(client(proxy.address(), ZooKeeperClients.SESSION));
        LockHandle held = holder.locks().acquire(request);

        // A server that starts may accept a connection and never answer it: the client waits a session then.
        disconnect();
        server.stop();
        server.restart();
        reconnect();

        await().until(held::isHeld);
        assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();
        await().ignoreExceptions()
                .untilAsserted(
                        () -> assertThat(other().locks().tryAcquire(request)).isEmpty());
        // The holder's client connects again on its own: without it, the outcome of a release is unknown.
        await().ignoreExceptions().untilAsserted(() -> holder.locks()
                .acquire(LockRequest.of("connected-again"))
                .close());
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        other().locks().acquire(request.maxWait(Patience.TIME)).close();
    }

    @Test
    void deletesTheNodeOfAnAttemptWhoseAnswerIsLost() {
        Application hasty = application(client(proxy.address(), ZooKeeperClients.SESSION), HASTY);
        WarmUp.connect(hasty.locks(), "warm-up");
        proxy.stallReplies();
        assertThatThrownBy(() -> hasty.locks().acquire(request)).isInstanceOf(LockBackendException.class);

        reconnect();

        try (LockHandle next = other().locks().acquire(request.maxWait(Patience.TIME))) {
            assertThat(next.isHeld()).isTrue();
        }
        acquiredSometime(hasty).close();
    }

    @Test
    void failsWithinTheCommandTimeoutWhileNoServerAnswers() {
        Application hasty = application(client(proxy.address(), ZooKeeperClients.SESSION), HASTY);
        WarmUp.connect(hasty.locks(), "warm-up");
        disconnect();

        long start = System.nanoTime();
        assertThatThrownBy(() -> hasty.locks().acquire(request.maxWait(Patience.TIME.multipliedBy(2))))
                .isInstanceOf(LockBackendException.class);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Patience.TIME);
    }

    /** How long it counts then is the subject of {@link LeaderContactTests}. */
    @Test
    void aProofAfterASilenceCountsOnceASecondOneFollows() {
        List<Runnable> later = new CopyOnWriteArrayList<>();
        Session session = sessionOf(connected(ZooKeeperClients.SESSION), later);

        CompletableFuture<OptionalLong> proof = session.prove();
        await().untilAsserted(() -> assertThat(later).hasSize(1));
        assertThat(proof).isNotDone();
        later.get(0).run();

        assertThat(proof).succeedsWithin(Patience.TIME).isEqualTo(OptionalLong.of(session.current()));
    }

    @Test
    void aSessionThatReplacesAKnownOneIsCertainAtOnce() throws Exception {
        CuratorFramework client = connected(ZooKeeperClients.SESSION);
        Session session = sessionOf(client, new CopyOnWriteArrayList<>());
        assertThat(session.coversGrant(session.current(), System.nanoTime())).isCompletedWithValue(false);

        await().until(() -> isCertainOnceReplaced(session, client)); // not if this machine stands still in between
    }

    private boolean isCertainOnceReplaced(Session session, CuratorFramework client) throws Exception {
        long before = session.current();
        giveUpSession(client);
        await().until(() -> session.current() != before && session.current() != Session.NONE);
        return session.coversGrant(session.current(), System.nanoTime()).getNow(false);
    }

    /** An attempt fails if its session cannot be certain within the command timeout. */
    @Test
    void grantsLocksOnceItHasConnectedWithAStartedClient() {
        Duration session = Duration.ofSeconds(4);
        ZooKeeperLockSettings settings = ZooKeeperClients.settings(session, session.dividedBy(4));
        await().ignoreExceptionsInstanceOf(LockBackendException.class).until(() -> {
            ZooKeeperLockBackend backend = opened(new ZooKeeperLockBackend(connected(session), settings));
            Application late = opened(Application.over(backend));
            assertThat(backend.connect(Patience.TIME)).isEmpty();
            try (LockHandle held = late.locks().acquire(request.withoutWaiting())) {
                return held.isHeld();
            }
        });
    }

    @Test
    @Tag(Effort.FULL)
    void worksAgainAfterItsServerHungAndWasReplaced() {
        Application application = application(client(proxy.address(), BRIEF), HASTY);
        WarmUp.connect(application.locks(), "warm-up");
        List<ProxyLink> before = proxy.open();
        proxy.hang();
        await().until(() -> !before.containsAll(proxy.open())); // connects to the server that hangs
        proxy.replace();

        acquiredSometime(application).close();
    }

    @Test
    void connectsToAServerThatIsStartedLater() {
        proxy.refuse();
        Application early = application(client(proxy.address(), ZooKeeperClients.SESSION), HASTY);
        assertThatThrownBy(() -> early.locks().acquire(request)).isInstanceOf(LockBackendException.class);

        proxy.accept();

        acquiredSometime(early).close();
    }

    @Test
    void aCommandThatTheClientGivesUpDoesNotBlockItsKey() throws Exception {
        AtomicBoolean hasNoSockets = new AtomicBoolean();
        CuratorFramework exhausted = opened(CuratorFrameworkFactory.builder()
                .connectString(server.address())
                .sessionTimeoutMs((int) ZooKeeperClients.SESSION.toMillis())
                .retryPolicy(new RetryOneTime(50))
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> {
                    if (hasNoSockets.get()) {
                        throw new IOException("Too many open files");
                    }
                    return new ZooKeeper(servers, timeout, watcher, readOnly);
                })
                .build());
        Application blocked = application(exhausted, HASTY);
        WarmUp.connect(blocked.locks(), "warm-up");

        hasNoSockets.set(true);
        giveUpSession(exhausted);
        await().until(() -> !exhausted.getZookeeperClient().isConnected());
        assertThatThrownBy(() -> blocked.locks().acquire(request)).isInstanceOf(LockBackendException.class);
        hasNoSockets.set(false);

        acquiredSometime(blocked).close();
    }

    /** The client closes a session that was without a server for too long, on a thread that calls it. */
    @Test
    void noCallerWaitsUntilTheClientHasClosedALostSession() throws Exception {
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch closable = new CountDownLatch(1);
        CuratorFramework slow = opened(CuratorFrameworkFactory.builder()
                .connectString(proxy.address())
                .sessionTimeoutMs((int) BRIEF.toMillis())
                .connectionTimeoutMs((int) BRIEF.toMillis())
                .retryPolicy(new RetryOneTime(50))
                .zookeeperFactory(
                        (servers, timeout, watcher, readOnly) -> new SlowToClose(servers, watcher, closing, closable))
                .build());
        Application application = application(slow, HASTY);
        acquiredSometime(application).close();
        proxy.refuse();
        proxy.cut();

        try {
            await().until(() -> {
                assertIsRefused(application);
                return closing.getCount() == 0;
            });
            assertIsRefused(application);
        } finally {
            closable.countDown();
        }
        reconnect();
        acquiredSometime(application).close();
    }

    private void assertIsRefused(Application application) throws Exception {
        CompletableFuture<Throwable> refusal = CompletableFuture.supplyAsync(
                () -> catchThrowable(() -> application.locks().acquire(request)));
        assertThat(refusal.get(Patience.SECONDS, TimeUnit.SECONDS)).isInstanceOf(LockBackendException.class);
    }

    @SuppressWarnings("try") // as ZooKeeper itself: close() may be interrupted
    private static final class SlowToClose extends ZooKeeper {

        private final CountDownLatch closing;
        private final CountDownLatch closable;

        SlowToClose(String servers, Watcher watcher, CountDownLatch closing, CountDownLatch closable)
                throws IOException {
            super(servers, (int) BRIEF.toMillis(), watcher);
            this.closing = closing;
            this.closable = closable;
        }

        @Override
        public synchronized void close() throws InterruptedException {
            closing.countDown();
            closable.await();
            super.close();
        }
    }

    private LockHandle acquiredSometime(Application application) {
        return await().ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> application.locks().acquire(request.maxWait(Patience.TIME)), held -> true);
    }

    /** As if the client had been disconnected for too long. */
    private void giveUpSession(CuratorFramework client) throws Exception {
        ZooKeeper known = client.getZookeeperClient().getZooKeeper();
        known.getTestable().injectSessionExpiration();
        endSession(known);
    }

    /** The servers end it, as if its time were over. */
    private void endSession(ZooKeeper known) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper same = new ZooKeeper(
                server.address(),
                known.getSessionTimeout(),
                event -> connected.countDown(),
                known.getSessionId(),
                known.getSessionPasswd());
        assertThat(connected.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        same.close();
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

    private CuratorFramework client(String address, Duration session) {
        return opened(ZooKeeperClients.unstarted(address, session));
    }

    private CuratorFramework connected(Duration session) {
        return opened(ZooKeeperClients.connected(server.address(), session));
    }

    /** Without a proof so far. What it would do later, only the test does. */
    private Session sessionOf(CuratorFramework connected, List<Runnable> later) {
        ScheduledExecutorService timer = new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                later.add(task);
                return super.schedule(() -> {}, delay, unit);
            }
        };
        opened(timer::shutdownNow);
        long longAgo = System.nanoTime() - TimeUnit.HOURS.toNanos(1);
        return new Session(connected, ZooKeeperClients.settings(ZooKeeperClients.SESSION, HASTY), timer, longAgo);
    }

    private Application application(CuratorFramework client) {
        return application(client, ZooKeeperClients.COMMAND_TIMEOUT);
    }

    private Application application(CuratorFramework client, Duration commandTimeout) {
        ZooKeeperLockBackend backend = opened(
                new ZooKeeperLockBackend(client, ZooKeeperClients.settings(ZooKeeperClients.SESSION, commandTimeout)));
        return opened(Application.over(backend, Application.settings(LEASE)));
    }

    private <C extends AutoCloseable> C opened(C closeable) {
        open.add(closeable);
        return closeable;
    }
}
