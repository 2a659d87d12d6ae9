package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CreatedQueuesTests {

    private static final Duration SOON = Duration.ofMillis(20);

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final Queue<String> deleted = new ConcurrentLinkedQueue<>();
    private final Set<String> used = ConcurrentHashMap.newKeySet();

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    @Test
    void deletesEachContainerOnce() {
        CreatedQueues created = new CreatedQueues(this::deleteUnlessUsed, timer, SOON);
        for (String queue : List.of("/a", "/b", "/c")) {
            created.add(queue);
        }

        await().untilAsserted(() -> assertThat(deleted).containsExactly("/a", "/b", "/c"));
        await().until(timer.getQueue()::isEmpty);
    }

    @Test
    void deletesAContainerThatWasInUseLater() {
        used.add("/a");
        CreatedQueues created = new CreatedQueues(this::deleteUnlessUsed, timer, SOON);
        created.add("/a");
        created.add("/b");
        await().until(() -> deleted.contains("/b"));

        used.clear();

        await().untilAsserted(() -> assertThat(deleted).containsExactly("/b", "/a"));
    }

    @Test
    void leavesAContainerToTheServersAfterAFailure() {
        CreatedQueues created = new CreatedQueues(
                queue -> queue.equals("/gone")
                        ? CompletableFuture.failedFuture(new KeeperException.ConnectionLossException())
                        : deleteUnlessUsed(queue),
                timer,
                SOON);
        created.add("/gone");
        created.add("/b");

        await().until(() -> deleted.contains("/b"));
        await().until(timer.getQueue()::isEmpty);
    }

    private CompletableFuture<Boolean> deleteUnlessUsed(String queue) {
        boolean isDeleted = !used.contains(queue);
        if (isDeleted) {
            deleted.add(queue);
        }
        return CompletableFuture.completedFuture(isDeleted);
    }
}
