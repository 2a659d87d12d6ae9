package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Waiting instances get permits in the order of their arrival. Each retries three times a second on its own, and may
 * find the slot free before the signalled instance does; rarely, so one of several rounds is not affected.
 */
class PermitOrderIT extends RedisScenario {

    private static final int PERMITS = 3;
    private static final int INSTANCES = 8;
    private static final int WAITERS_OF_EACH = 8;
    private static final int MOST_ROUNDS = 8;
    private static final List<Integer> IN_ORDER =
            IntStream.range(0, INSTANCES).boxed().toList();

    private final List<Application> instances = new ArrayList<>();
    private Application holder;

    /** No answer may time out, however long a busy machine takes. */
    @Override
    RedisSettings settings() {
        return RedisStore.patient(Duration.ofSeconds(2));
    }

    @BeforeEach
    void connect() {
        holder = warmedUp(newApplicationThatTrustsSignals());
        for (int i = 0; i < INSTANCES; i++) {
            instances.add(warmedUp(newApplicationThatTrustsSignals()));
        }
    }

    @Test
    void servesSixtyFourWaitersInTheOrderOfTheirInstances() throws Exception {
        assertThat(servedUntil(IN_ORDER, false)).contains(IN_ORDER);
    }

    /** The control: the queue of the server decides; with a reversed queue, no round has this order. */
    @Test
    @Tag(Effort.FULL)
    void theCheckFindsAReversedQueue() throws Exception {
        List<Integer> reversed = new ArrayList<>(IN_ORDER);
        Collections.reverse(reversed);

        assertThat(servedUntil(reversed, true)).contains(reversed).doesNotContain(IN_ORDER);
    }

    /** Pairs of consecutive owners, in as many rounds as needed. */
    private List<List<Integer>> servedUntil(List<Integer> order, boolean isReversed) throws Exception {
        List<List<Integer>> rounds = new ArrayList<>();
        while (rounds.size() < MOST_ROUNDS && !rounds.contains(order)) {
            rounds.add(servedIn(key + ":" + rounds.size(), isReversed));
        }
        System.out.println("Instances that waited for a permit were served in the order " + rounds);
        return rounds;
    }

    /** One slot goes from hand to hand. */
    private List<Integer> servedIn(String round, boolean isReversed) throws Exception {
        LockRequest permit =
                LockRequest.of(round).permits(PERMITS).ownedByHandle().waitingUpTo(Duration.ofSeconds(60));
        String queue = "lock:{" + round + "}:waiters";
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < PERMITS; i++) {
            held.add(holder.locks().acquire(permit));
        }
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            int number = i;
            for (int j = 0; j < WAITERS_OF_EACH; j++) {
                waiters.add(instances.get(i).locks().acquireAsync(permit).thenAccept(granted -> {
                    served.add(number);
                    granted.close();
                }));
            }
            await().pollInterval(Duration.ofMillis(5))
                    .atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(redis().zcard(queue)).isEqualTo(number + 1));
            awaitWaiters(instances.get(i), round);
        }
        if (isReversed) {
            redis().zrangeWithScores(queue, 0, -1)
                    .forEach(each -> redis().zadd(queue, -each.getScore(), each.getValue()));
        }

        held.get(1).close();
        for (CompletableFuture<Void> each : waiters) {
            each.get(Patience.SECONDS, TimeUnit.SECONDS);
        }
        held.forEach(LockHandle::close);
        assertThat(served).hasSize(INSTANCES * WAITERS_OF_EACH);
        return served.stream().distinct().toList();
    }

    private static void awaitWaiters(Application instance, String round) {
        await().pollInterval(Duration.ofMillis(5)).atMost(Patience.TIME).untilAsserted(() -> assertThat(
                        instance.events().of(LockEvent.Contended.class))
                .filteredOn(event -> event.key().equals(round))
                .hasSize(WAITERS_OF_EACH));
    }
}
