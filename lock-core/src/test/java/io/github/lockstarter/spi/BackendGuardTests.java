package io.github.lockstarter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A backend that violates its contract. */
class BackendGuardTests {

    private final IllegalStateException broken = new IllegalStateException("broken");

    @Test
    void returnsTheResultOfAWellBehavedBackend() {
        CompletableFuture<String> stage = new CompletableFuture<>();

        assertThat(BackendGuard.stageOf(() -> stage)).isSameAs(stage);
    }

    @Test
    void turnsAnExceptionIntoAResult() {
        assertThat(resultOf(() -> {
                    throw broken;
                }))
                .isEqualTo(broken.toString());
    }

    @Test
    void turnsANullStageIntoAResult() {
        assertThat(resultOf(() -> null)).contains("The backend returned no stage");
    }

    @Test
    void turnsAFailedStageIntoAResult() {
        assertThat(resultOf(() -> CompletableFuture.failedFuture(broken))).isEqualTo(broken.toString());
    }

    @Test
    void unwrapsTheCauseOfAFailedStage() {
        assertThat(resultOf(() -> CompletableFuture.failedFuture(broken).thenApply(Object::toString)))
                .isEqualTo(broken.toString());
    }

    @Test
    void turnsANullResultIntoAResult() {
        assertThat(resultOf(() -> CompletableFuture.completedFuture(null))).contains("The backend returned no result");
    }

    @Test
    void failsEveryRenewalWhenTheBackendReturnsAnotherNumberOfStages() {
        List<CompletionStage<RenewResult>> stages =
                BackendGuard.stagesOf(2, () -> List.of(CompletableFuture.completedFuture(new RenewResult.Renewed())));

        assertThat(stages).hasSize(2).allSatisfy(stage -> assertThat(stage.toCompletableFuture())
                .isCompletedExceptionally());
    }

    private static String resultOf(Supplier<CompletionStage<String>> call) {
        return BackendGuard.stageOf(call)
                .handle((result, failure) -> BackendGuard.resultOf(result, failure, Throwable::toString))
                .toCompletableFuture()
                .join();
    }
}
