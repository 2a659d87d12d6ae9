package io.github.lockstarter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A backend that breaks its word. */
class BackendGuardTests {

    private final IllegalStateException broken = new IllegalStateException("broken");

    @Test
    void passesStageOfWellBehavedBackendOn() {
        CompletableFuture<String> stage = new CompletableFuture<>();

        assertThat(BackendGuard.stageOf(() -> stage)).isSameAs(stage);
    }

    @Test
    void makesResultOfWhatBackendThrows() {
        assertThat(resultOf(() -> {
                    throw broken;
                }))
                .isEqualTo(broken.toString());
    }

    @Test
    void makesResultOfNullInsteadOfStage() {
        assertThat(resultOf(() -> null)).contains("The backend returned no stage");
    }

    @Test
    void makesResultOfFailedStage() {
        assertThat(resultOf(() -> CompletableFuture.failedFuture(broken))).isEqualTo(broken.toString());
    }

    @Test
    void unwrapsCauseOfFailedStage() {
        assertThat(resultOf(() -> CompletableFuture.failedFuture(broken).thenApply(Object::toString)))
                .isEqualTo(broken.toString());
    }

    @Test
    void makesResultOfNullInsteadOfResult() {
        assertThat(resultOf(() -> CompletableFuture.completedFuture(null))).contains("The backend returned no result");
    }

    @Test
    void failsEveryRenewalWhenBackendReturnsAnotherNumberOfStages() {
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
