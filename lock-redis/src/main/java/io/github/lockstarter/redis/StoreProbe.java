package io.github.lockstarter.redis;

import io.github.lockstarter.LockAdmin.StoreState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Checks that Redis grants locks by an attempt for one of its own. In a cluster it tries every master: without one of
 * them only its own locks are unavailable, so the cluster counts as available while more than half of its masters
 * answer. With fewer, it cannot promote replacements either.
 * <p>Thread-safe.
 */
final class StoreProbe {

    /** In a cluster, a number in each master's slot is used instead. */
    private static final String LOCK = "lock-starter:health";

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final Supplier<Map<String, Integer>> slots;
    private final Function<String, Optional<String>> masterOf;
    private final Function<String, CompletionStage<Optional<String>>> attempt;

    /** By master; kept while it has the slot, since one that moved there has the history of another master. */
    private final Map<String, Integer> probed = new ConcurrentHashMap<>();

    /**
     * @param slots one of each master by address; empty without a cluster or connection
     * @param masterOf address of a lock's master
     * @param attempt returns why a lock cannot be granted
     */
    public StoreProbe(
            Supplier<Map<String, Integer>> slots,
            Function<String, Optional<String>> masterOf,
            Function<String, CompletionStage<Optional<String>>> attempt) {
        this.slots = slots;
        this.masterOf = masterOf;
        this.attempt = attempt;
    }

    public CompletionStage<ProbeResult> ask() {
        Map<String, Integer> masters = slots.get();
        return masters.isEmpty() ? askOne() : askAll(masters);
    }

    /** Covers a cluster that is connected by this attempt. */
    private CompletionStage<ProbeResult> askOne() {
        return attempt.apply(LOCK).thenCompose(failure -> {
            Map<String, Integer> masters = slots.get();
            return masters.isEmpty()
                    ? CompletableFuture.completedFuture(new ProbeResult(failure, List.of(), List.of()))
                    : askAll(masters);
        });
    }

    private CompletionStage<ProbeResult> askAll(Map<String, Integer> masters) {
        List<CompletableFuture<StoreState>> asked = new ArrayList<>();
        masters.forEach((master, first) -> asked.add(ask(master, probed(master, first))));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(all ->
                        merged(asked.stream().map(answer -> answer.getNow(null)).toList())); // all are complete
    }

    private String probed(String master, int first) {
        return KeySpace.TAGS.of(probed.merge(
                master,
                first,
                (last, next) -> masterOf.apply(KeySpace.TAGS.of(last)).equals(Optional.of(master)) ? last : next));
    }

    private CompletableFuture<StoreState> ask(String master, String lock) {
        String late = "Redis at " + master + " did not answer within " + PATIENCE.toSeconds() + "s";
        return attempt.apply(lock)
                .thenApply(failure -> part(master, failure))
                .toCompletableFuture()
                .completeOnTimeout(part(master, Optional.of(late)), PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static StoreState part(String master, Optional<String> failure) {
        return new StoreState(master, failure).asPart();
    }

    private static ProbeResult merged(List<StoreState> masters) {
        List<StoreState> silent =
                masters.stream().filter(master -> master.failure().isPresent()).toList();
        int answering = masters.size() - silent.size();
        if (answering * 2 <= masters.size()) {
            String reasons = silent.stream()
                    .flatMap(master -> master.failure().stream())
                    .distinct()
                    .collect(Collectors.joining("; "));
            String failure =
                    "Only " + answering + " of " + masters.size() + " masters of the cluster answer: " + reasons;
            return new ProbeResult(Optional.of(failure), List.of(), masters);
        }
        return new ProbeResult(
                Optional.empty(), silent.isEmpty() ? List.of() : List.of(absence(silent, masters)), masters);
    }

    private static String absence(List<StoreState> silent, List<StoreState> masters) {
        return silent.size() + " of " + masters.size()
                + " masters of the cluster do not answer, and locks whose keys are"
                + " there cannot be acquired: "
                + silent.stream().map(StoreState::target).collect(Collectors.joining(", "))
                + ". Check that they run, and the network to them";
    }

    public record ProbeResult(Optional<String> failure, List<String> warnings, List<StoreState> nodes) {}
}
