package io.github.lockstarter.redis.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ParallelQueryTests {

    private final List<String> discarded = new ArrayList<>();

    @Test
    void waitsForAServerThatAnswersMuchLaterThanTheFirst() {
        CompletionStage<Optional<String>> late = CompletableFuture.supplyAsync(
                () -> Optional.of("late"), CompletableFuture.delayedExecutor(1_500, TimeUnit.MILLISECONDS));

        assertThat(results(Duration.ofSeconds(4), List.of(answer("first"), late)))
                .containsExactly("first", "late");
    }

    @Test
    void waitsForNoFurtherServerOnceTheResultsSuffice() {
        CompletableFuture<Optional<String>> silent = new CompletableFuture<>();

        assertThat(results(Duration.ofMinutes(1), List.of(silent, answer("second"), answer("third"))))
                .containsExactly("second", "third");

        silent.complete(Optional.of("silent"));
        assertThat(discarded).containsExactly("silent");
    }

    @Test
    void waitsForNoServerThatHasFailedOrHasNoResult() {
        assertThat(results(
                        Duration.ofMinutes(1),
                        List.of(
                                answer("first"),
                                CompletableFuture.completedFuture(Optional.empty()),
                                CompletableFuture.failedFuture(new IllegalStateException("refused")))))
                .containsExactly("first");
    }

    private List<String> results(Duration timeout, List<CompletionStage<Optional<String>>> asked) {
        return ParallelQuery.results(asked, timeout, results -> results.size() > 1, discarded::add, () -> "no result");
    }

    private static CompletionStage<Optional<String>> answer(String result) {
        return CompletableFuture.completedFuture(Optional.of(result));
    }
}
