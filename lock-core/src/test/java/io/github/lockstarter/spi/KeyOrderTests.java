package io.github.lockstarter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeyOrderTests {

    private static final int MANY = 50_000;

    private final ExecutorService executor = Executors.newSingleThreadExecutor();
    private final KeyOrder order = new KeyOrder(executor);

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    @Test
    void sendsACommandOnceThePreviousOneIsAnsweredOrFails() throws Exception {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<Boolean> sent = new CompletableFuture<>();
        order.send("a", () -> first);
        CompletableFuture<String> second = order.send("a", () -> {
            sent.complete(true);
            return CompletableFuture.completedFuture("second");
        });
        assertThat(sent).isNotDone();

        first.completeExceptionally(new IllegalStateException("no answer"));

        assertThat(second.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("second");
    }

    @Test
    void doesNotWaitForAnotherKey() {
        order.send("a", CompletableFuture::new);

        assertThat(order.send("b", () -> CompletableFuture.completedFuture("sent")))
                .isCompletedWithValue("sent");
    }

    @Test
    void sendsALongQueueWithoutOverflowingTheStack() throws Exception {
        CompletableFuture<Integer> first = new CompletableFuture<>();
        order.send("a", () -> first);
        List<Integer> sent = new ArrayList<>();
        CompletableFuture<Integer> last = first;
        for (int i = 0; i < MANY; i++) {
            int number = i;
            last = order.send("a", () -> {
                sent.add(number);
                return CompletableFuture.completedFuture(number);
            });
        }

        first.complete(-1);

        assertThat(last.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(MANY - 1);
        assertThat(sent).hasSize(MANY).isSorted();
    }
}
