package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The cost of an empty section with many waiters of one key: the time until all have had the lock, per waiter. The best
 * of several rounds, since other programs run too. {@code -Dlock.test.waiters=1000,60000} sets other numbers.
 */
@Timeout(600)
class ManyWaitersRun extends RedisScenario {

    private static final int ROUNDS = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final List<Integer> CROWDS =
            List.of(System.getProperty("lock.test.waiters", "1000,30000").split(",", -1)).stream()
                    .map(Integer::valueOf)
                    .toList();

    @Test
    void theCostOfASectionIsIndependentOfTheNumberOfWaiters() throws Exception {
        Application application = newApplication(Application.settings(LONG_LEASE));
        microsPerSection(application, 5_000); // so that the code is compiled
        Map<Integer, Double> best = new LinkedHashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (int crowd : CROWDS) {
                best.merge(crowd, microsPerSection(application, crowd), Math::min);
            }
        }
        best.forEach((crowd, micros) -> System.out.printf("%,d waiters: %.1f us a section%n", crowd, micros));
        assertThat(best.get(CROWDS.get(CROWDS.size() - 1))).isLessThan(2 * best.get(CROWDS.get(0)));
    }

    private double microsPerSection(Application application, int crowd) throws Exception {
        LockRequest patient = LockRequest.of(key).waitingUpTo(PATIENCE);
        LockHandle held = application.locks().acquire(patient);
        List<CompletableFuture<Void>> sections = new ArrayList<>();
        for (int i = 0; i < crowd; i++) {
            sections.add(application.locks().acquireAsync(patient).thenAccept(LockHandle::close));
        }
        long start = System.nanoTime();
        held.close();
        CompletableFuture.allOf(sections.toArray(CompletableFuture[]::new)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return (System.nanoTime() - start) / 1_000.0 / crowd;
    }
}
