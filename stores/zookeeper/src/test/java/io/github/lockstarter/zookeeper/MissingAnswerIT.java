package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.testing.WarmUp;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.Children2Callback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that drops the answer to one command, or reports it late: the key of that command is not blocked. */
@Timeout(300)
class MissingAnswerIT {

    /** For commands that get no answer; others are repeated until one is in time. */
    private static final Duration HASTY = Duration.ofSeconds(1);

    private final LockRequest request = LockRequest.of("missing:" + UUID.randomUUID());
    private final AtomicBoolean dropsLook = new AtomicBoolean();
    private final AtomicBoolean dropsProofs = new AtomicBoolean();
    /** The server that answers reads, as one to which the client has just moved. */
    private final AtomicBoolean lagsBehind = new AtomicBoolean();

    private final AtomicInteger lostCreations = new AtomicInteger();
    private final AtomicBoolean keepsCreation = new AtomicBoolean();
    private final AtomicReference<Runnable> kept = new AtomicReference<>();
    private CuratorFramework client;
    private Application locks;

    @BeforeEach
    void start() {
        client = CuratorFrameworkFactory.builder()
                .connectString(ZooKeeperServers.shared().address())
                .sessionTimeoutMs((int) ZooKeeperClients.SESSION.toMillis())
                .connectionTimeoutMs((int) ZooKeeperClients.COMMAND_TIMEOUT.toMillis())
                .retryPolicy(new RetryOneTime(50))
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> new Forgetful(servers, timeout, watcher))
                .build();
        locks = Application.over(
                new ZooKeeperLockBackend(client, ZooKeeperClients.settings(ZooKeeperClients.SESSION, HASTY)));
        WarmUp.connect(locks.locks(), "warm-up");
    }

    @AfterEach
    void close() {
        locks.close();
        client.close();
    }

    @SuppressWarnings("try") // as ZooKeeper itself: close() may be interrupted
    private final class Forgetful extends ZooKeeper {

        Forgetful(String servers, int timeout, Watcher watcher) throws IOException {
            super(servers, timeout, watcher);
        }

        @Override
        public void getChildren(String path, Watcher watcher, Children2Callback callback, Object context) {
            if (!dropsLook.getAndSet(false)) {
                super.getChildren(
                        path,
                        watcher,
                        (code, of, same, children, stat) ->
                                callback.processResult(code, of, same, lagsBehind.get() ? List.of() : children, stat),
                        context);
            }
        }

        /** The client looks for a created node. */
        @Override
        public List<String> getChildren(String path, boolean watch) throws KeeperException, InterruptedException {
            List<String> children = super.getChildren(path, watch);
            return lagsBehind.get() ? List.of() : children;
        }

        @Override
        public void multi(Iterable<Op> ops, MultiCallback callback, Object context) {
            if (!dropsProofs.get()) {
                lagsBehind.set(false); // a server that answers this has seen all before
                super.multi(ops, callback, context);
            }
        }

        @Override
        public void create(
                String path,
                byte[] data,
                List<ACL> acl,
                CreateMode mode,
                Create2Callback callback,
                Object context,
                long ttl) {
            Create2Callback later = (code, name, same, created, stat) -> {
                if (code == Code.OK.intValue() && lostCreations.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    lagsBehind.set(true);
                    callback.processResult(Code.CONNECTIONLOSS.intValue(), name, same, null, null);
                    return;
                }
                lagsBehind.set(false); // it has executed this, and shows all before
                if (code == Code.OK.intValue() && keepsCreation.getAndSet(false)) {
                    kept.set(() -> callback.processResult(code, name, same, created, stat));
                } else { // such as in a line that the server has just removed
                    callback.processResult(code, name, same, created, stat);
                }
            };
            super.create(
                    path, data, acl, mode, mode == CreateMode.EPHEMERAL_SEQUENTIAL ? later : callback, context, ttl);
        }
    }

    private LockHandle acquiredSometime() {
        return await().ignoreExceptions()
                .until(() -> locks.locks().acquire(request.maxWait(Duration.ofMillis(500))), handle -> true);
    }

    @Test
    void anUnansweredAttemptDoesNotBlockTheNext() {
        dropsLook.set(true);
        assertThatThrownBy(() -> locks.locks().acquire(request)).isInstanceOf(LockBackendException.class);

        acquiredSometime().close();
    }

    @Test
    void anUnansweredReleaseDoesNotBlockTheNextAttempt() {
        LockHandle held = acquiredSometime();
        dropsLook.set(true);
        held.release();

        LockHandle next = acquiredSometime();
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        next.close();
    }

    @Test
    void aNodeWhoseCreationIsReportedLateIsDeletedAfterTheNextAttempt() {
        keepsCreation.set(true);
        assertThatThrownBy(() -> locks.locks().acquire(request)).isInstanceOf(LockBackendException.class);
        await().until(() -> kept.get() != null);
        // The node is first in the line, so the next attempt begins and finds it there.
        await().ignoreExceptions().until(() -> locks.locks().tryAcquire(request).isEmpty());

        kept.get().run();

        acquiredSometime().close();
    }

    /** After one lost answer the client creates a second node, after two it gives up. No hold has the first node. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aCreationThatALaggingServerDoesNotShowDoesNotBlockTheKey(int lost) {
        lostCreations.set(lost);

        acquiredSometime().close();

        assertThat(lostCreations).hasValue(0);
    }

    @Test
    void anUnansweredProofDoesNotBlockLaterOnes() {
        dropsProofs.set(true);
        assertThat(locks.admin().storeState().join().failure()).isPresent();
        dropsProofs.set(false);

        await().until(() -> locks.admin().storeState().join().failure().isEmpty());
    }
}
