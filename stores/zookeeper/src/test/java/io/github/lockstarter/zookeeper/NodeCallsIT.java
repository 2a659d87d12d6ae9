package io.github.lockstarter.zookeeper;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.AcquireResult.Unavailable;
import io.github.lockstarter.spi.LockToken;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

/** Containers, which the servers delete too slowly where each message has its own lock. */
class NodeCallsIT {

    private final ScheduledExecutorService timer = mock();
    private final AtomicLong now = new AtomicLong();

    @Test
    void deletesTheContainersThatItHasCreatedUnlessTheyAreInUse() {
        String released = "/containers-" + UUID.randomUUID();
        String used = released + "-used";
        try (CuratorFramework client =
                ZooKeeperClients.connected(ZooKeeperServers.shared().address(), ZooKeeperClients.SESSION)) {
            NodeCalls calls = new NodeCalls(client, timer, now::get);
            LockNode node = answer(calls.create(used, "1", new LockToken("a", 1)));
            answer(calls.delete(
                    answer(calls.create(released, "2", new LockToken("a", 2))).path()));
            ArgumentCaptor<Runnable> deletion = ArgumentCaptor.captor();
            ArgumentCaptor<Long> nanos = ArgumentCaptor.captor();
            verify(timer).schedule(deletion.capture(), nanos.capture(), any(TimeUnit.class));

            now.set(nanos.getValue());
            deletion.getValue().run();

            await().until(() -> !answer(calls.exists(released)));
            assertThat(answer(calls.exists(node.path()))).isTrue();
            assertThat(nanos).returns(TimeUnit.SECONDS.toNanos(30), ArgumentCaptor::getValue);
        }
    }

    /** Creations go below a root that does not exist, as if each container were deleted before the node is in it. */
    @Test
    void reportsDeletedContainersWithoutNamingAChroot() {
        String servers = ZooKeeperServers.shared().address();
        try (CuratorFramework client = ZooKeeperClients.connected(servers, ZooKeeperClients.SESSION);
                CuratorFramework elsewhere =
                        ZooKeeperClients.connected(servers + "/not-there", ZooKeeperClients.SESSION)) {
            CuratorFramework creatingElsewhere = mock(CuratorFramework.class, delegatesTo(client));
            doAnswer(call -> elsewhere.create()).when(creatingElsewhere).create();
            try (ZooKeeperLockBackend backend =
                    new ZooKeeperLockBackend(creatingElsewhere, ZooKeeperClients.settings(ZooKeeperClients.SESSION))) {
                AcquireCommand attempt = new AcquireCommand(
                        "order:42", new LockToken("a", 1), ZooKeeperClients.SESSION, 0, 1, Optional.empty());

                assertThat(answer(backend.attemptAcquire(attempt)))
                        .isInstanceOfSatisfying(Unavailable.class, result -> assertThat(result.reason())
                                .contains("container", "deleted")
                                .doesNotContain("chroot"));
            }
        }
    }

    /** As if no thread could be started for the read behind the creation. */
    @Test
    void deletesTheNodeOfAnAttemptThatFailsBehindItsCreation() {
        String servers = ZooKeeperServers.shared().address();
        try (CuratorFramework client = ZooKeeperClients.connected(servers, ZooKeeperClients.SESSION);
                ZooKeeperLockBackend other = ZooKeeperClients.backend(servers, ZooKeeperClients.SESSION)) {
            CuratorFramework failing = mock(CuratorFramework.class, delegatesTo(client));
            try (ZooKeeperLockBackend backend =
                    new ZooKeeperLockBackend(failing, ZooKeeperClients.settings(ZooKeeperClients.SESSION))) {
                String key = "failing:" + UUID.randomUUID();
                doThrow(new OutOfMemoryError("planted"))
                        .doAnswer(call -> client.getChildren())
                        .when(failing)
                        .getChildren();

                assertThatThrownBy(() -> backend.attemptAcquire(attempt(key, "a")))
                        .hasMessage("planted");

                await().untilAsserted(() -> assertThat(answer(other.attemptAcquire(attempt(key, "b"))))
                        .isInstanceOf(Granted.class));
            }
        }
    }

    private static AcquireCommand attempt(String key, String instance) {
        return new AcquireCommand(key, new LockToken(instance, 1), ZooKeeperClients.SESSION, 0, 1, Optional.empty());
    }
}
