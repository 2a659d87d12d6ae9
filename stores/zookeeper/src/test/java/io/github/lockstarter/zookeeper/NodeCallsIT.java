package io.github.lockstarter.zookeeper;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import io.github.lockstarter.spi.LockToken;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

/** Containers, which the servers delete too slowly where each message has its own lock. */
class NodeCallsIT {

    private final ScheduledExecutorService timer = mock();

    @Test
    void deletesAContainerThatItHasCreatedUnlessItIsInUse() {
        String queue = "/containers-" + UUID.randomUUID();
        try (CuratorFramework client =
                ZooKeeperClients.connected(ZooKeeperServers.shared().address(), ZooKeeperClients.SESSION)) {
            NodeCalls calls = new NodeCalls(client, timer);
            LockNode node = answer(calls.create(queue, new LockToken("a", 1)));
            Runnable deletion = scheduled();

            deletion.run();
            assertThat(answer(calls.exists(node.path()))).isTrue();

            answer(calls.delete(node.path()));
            deletion.run();
            assertThat(answer(calls.exists(queue))).isFalse();
        }
    }

    private Runnable scheduled() {
        ArgumentCaptor<Runnable> task = ArgumentCaptor.captor();
        verify(timer).schedule(task.capture(), anyLong(), any(TimeUnit.class));
        return task.getValue();
    }

    /** Otherwise, renewals would wait behind the containers of thousands of keys. */
    @Test
    void deletesAHundredContainersAtATimeAtMost() {
        CuratorFramework silent = mock(RETURNS_DEEP_STUBS);
        NodeCalls calls = new NodeCalls(silent, timer);

        for (int i = 0; i <= 100; i++) {
            calls.deleteIfEmpty("/container-" + i);
        }

        verify(silent, times(100)).delete();
        scheduled();
    }
}
