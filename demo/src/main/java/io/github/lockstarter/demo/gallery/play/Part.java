package io.github.lockstarter.demo.gallery.play;

import io.github.lockstarter.demo.gallery.play.ActorProcess.Answer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A part of a script, in one round. For the thread of the round.
 *
 * <p>Mutable: {@code acquiring}, the answer to its newest attempt; whether it has read, and whether it was killed.
 */
final class Part {

    final String name;
    final ActorProcess actor;

    @Nullable
    CompletableFuture<Answer> acquiring;

    boolean hasRead;
    boolean killed;

    Part(String name, ActorProcess actor) {
        this.name = name;
        this.actor = actor;
    }

    CompletableFuture<Answer> acquiring() {
        if (acquiring == null) {
            throw new IllegalStateException(name + " has not asked for the lock");
        }
        return acquiring;
    }
}
