package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.FailedResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The answers of the nodes to one command. {@link #decided} guards them by this object's monitor. */
class NodeAnswers<R> {

    final Quorum quorum;
    private final List<@Nullable R> answers;

    NodeAnswers(Quorum quorum) {
        this.quorum = quorum;
        this.answers = new ArrayList<>(Collections.nCopies(quorum.nodes(), null));
    }

    /** Sends to every node before it handles any answer: consequences of an answer follow the command on every node. */
    static <A> void ask(Quorum quorum, IntFunction<CompletionStage<A>> command, BiConsumer<Integer, A> answered) {
        List<CompletionStage<A>> stages =
                IntStream.range(0, quorum.nodes()).mapToObj(command).toList();
        for (int i = 0; i < stages.size(); i++) {
            int node = i;
            stages.get(node).thenAccept(answer -> answered.accept(node, answer));
        }
    }

    /**
     * Asks every node until {@code decision} returns a result: empty while missing answers may change it, present once
     * all have answered.
     */
    static <R> CompletionStage<R> decided(
            Quorum quorum, IntFunction<CompletionStage<R>> command, Function<NodeAnswers<R>, Optional<R>> decision) {
        NodeAnswers<R> answers = new NodeAnswers<>(quorum);
        CompletableFuture<R> outcome = new CompletableFuture<>();
        ask(quorum, command, (node, answer) -> answers.decidedWith(node, answer, decision)
                .ifPresent(outcome::complete));
        return outcome;
    }

    private synchronized Optional<R> decidedWith(int node, R answer, Function<NodeAnswers<R>, Optional<R>> decision) {
        set(node, answer);
        return decision.apply(this);
    }

    final void set(int node, @Nullable R answer) {
        answers.set(node, answer);
    }

    @Nullable
    final R at(int node) {
        return answers.get(node);
    }

    final int missing() {
        return (int) answers.stream().filter(Objects::isNull).count();
    }

    final <K> int count(Class<K> kind) {
        return (int) of(kind).count();
    }

    final <K> Optional<K> first(Class<K> kind) {
        return of(kind).findFirst();
    }

    final <K> Stream<K> of(Class<K> kind) {
        return answers.stream().filter(kind::isInstance).map(kind::cast);
    }

    final <U> U unknown(String reason, BiFunction<String, Throwable, U> result) {
        Optional<FailedResult> failure = first(FailedResult.class);
        return result.apply(
                reason
                        + failure.map(failed -> "; one of the others: " + failed.reason())
                                .orElse(""),
                failure.map(FailedResult::cause).orElseGet(() -> new IllegalStateException("no quorum agreed")));
    }
}
