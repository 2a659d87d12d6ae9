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
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.Children2Callback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that drops the answer to one command, or reports it late: the key of that command is not blocked. */
@Timeout(300)
class MissingAnswerIT {

    /** For commands that get no answer; others are repeated until one is in time. */
    private static final Duration HASTY = Duration.ofSeconds(1);

    private final LockRequest request = LockRequest.of("missing:" + UUID.randomUUID());
    private final AtomicBoolean dropsLook = new AtomicBoolean();
    private final AtomicBoolean dropsProofs = new AtomicBoolean();
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
                super.getChildren(path, watcher, callback, context);
            }
        }

        @Override
        public void multi(Iterable<Op> ops, MultiCallback callback, Object context) {
            if (!dropsProofs.get()) {
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

    @Test
    void anUnansweredProofDoesNotBlockLaterOnes() {
        dropsProofs.set(true);
        assertThat(locks.admin().storeState().join().failure()).isPresent();
        dropsProofs.set(false);

        await().until(() -> locks.admin().storeState().join().failure().isEmpty());
    }
}
