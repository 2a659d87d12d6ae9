package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.gallery.exhibit.CallerProcess.Answer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller in one round. For the thread of the round.
 *
 * <p>Mutable: {@code acquiring}, the answer to its newest attempt; whether it has read, and whether it was killed.
 */
final class RoundCaller {

    final String name;
    final CallerProcess process;

    @Nullable
    CompletableFuture<Answer> acquiring;

    boolean hasRead;
    boolean killed;

    RoundCaller(String name, CallerProcess process) {
        this.name = name;
        this.process = process;
    }

    CompletableFuture<Answer> acquiring() {
        if (acquiring == null) {
            throw new IllegalStateException(name + " has not asked for the lock");
        }
        return acquiring;
    }
}
