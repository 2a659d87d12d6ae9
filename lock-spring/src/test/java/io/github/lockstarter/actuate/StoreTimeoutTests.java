package io.github.lockstarter.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StoreTimeoutTests {

    @Test
    void anInterruptEndsTheWaitAndKeepsTheFlag() {
        CompletableFuture<String> never = new CompletableFuture<>();
        Thread.currentThread().interrupt();

        String answer = StoreTimeout.await(never, missing -> missing);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(answer).isEqualTo("Interrupted while waiting for the lock store");
    }
}
