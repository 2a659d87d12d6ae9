package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class KeyTurnsTests {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final KeyTurns turns = new KeyTurns();
    private final List<String> begun = new ArrayList<>();

    @Test
    void beginsAStepWhenTheOneBeforeIsComplete() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        turns.run("key", turn -> step("first", first));
        turns.run("key", turn -> step("second", DONE));
        turns.run("other", turn -> step("other", DONE));
        assertThat(begun).containsExactly("first", "other");

        first.complete(null);

        assertThat(begun).containsExactly("first", "other", "second");
    }

    @Test
    void goesOnBehindAStepThatFails() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        turns.run("key", turn -> first);
        turns.run("key", turn -> {
            throw new IllegalStateException("expected");
        });
        turns.run("key", turn -> step("third", DONE));

        first.completeExceptionally(new IllegalStateException("expected"));

        assertThat(begun).containsExactly("third");
    }

    @Test
    void runsManyStepsWithoutDeepeningTheStack() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        turns.run("key", turn -> first);
        for (int i = 0; i < 100_000; i++) {
            turns.run("key", turn -> step("next", DONE));
        }

        first.complete(null);

        assertThat(begun).hasSize(100_000);
    }

    @Test
    void remembersAKeyOnlyAsLongAsThereIsSomethingToRemember() {
        Place place = new Place(new LockNode("/l/k/n-lock-0000000000", 1, 1));
        turns.run("key", turn -> {
            turn.place = place;
            return DONE;
        });
        assertThat(turns.size()).isEqualTo(1);

        turns.run("key", turn -> {
            assertThat(turn.place).isSameAs(place);
            turn.place = null;
            return DONE;
        });

        assertThat(turns.size()).isZero();
    }

    private CompletableFuture<Void> step(String name, CompletableFuture<Void> end) {
        begun.add(name);
        return end;
    }
}
