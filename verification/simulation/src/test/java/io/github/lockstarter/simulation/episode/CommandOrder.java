package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Checks the order of the commands of one instance. One attempt or withdrawal of a lock is under way at a time, none is
 * sent before the answer to a release with which the instance queues up, and a release follows the answers to all
 * renewals of its lock token.
 */
final class CommandOrder {

    private final World world;
    private final String worker;
    private final Map<String, Integer> asking = new HashMap<>();
    private final Map<String, Integer> requeueing = new HashMap<>();
    private final Map<String, Integer> renewing = new HashMap<>();

    CommandOrder(World world, String worker) {
        this.world = world;
        this.worker = worker;
    }

    /** Sends an attempt or a withdrawal. */
    <R> CompletionStage<R> ask(String key, Supplier<CompletionStage<R>> sending) {
        refuse(asking, key, key, "asked for the lock before the answer to an attempt or a withdrawal");
        refuse(requeueing, key, key, "asked for the lock before the answer to the release that queues it up");
        begin(asking, key);
        return counted(asking, key, sending.get());
    }

    /** Sends a release that queues the instance up behind others. */
    <R> CompletionStage<R> requeue(String key, LockToken token, Supplier<CompletionStage<R>> sending) {
        begin(requeueing, key);
        return counted(requeueing, key, release(key, token, sending));
    }

    /** Sends a release. */
    <R> CompletionStage<R> release(String key, LockToken token, Supplier<CompletionStage<R>> sending) {
        refuse(renewing, id(key, token), key, "released the lock before the answer to a renewal");
        return sending.get();
    }

    /** Sends renewals. */
    List<CompletionStage<RenewResult>> renew(
            List<RenewCommand> commands, Supplier<List<CompletionStage<RenewResult>>> sending) {
        List<String> ids = commands.stream()
                .map(command -> id(command.key(), command.token()))
                .toList();
        ids.forEach(id -> begin(renewing, id));
        List<CompletionStage<RenewResult>> sent = sending.get();
        return IntStream.range(0, sent.size())
                .mapToObj(i -> counted(renewing, ids.get(i), sent.get(i)))
                .toList();
    }

    private static String id(String key, LockToken token) {
        return key + '#' + token.number();
    }

    private void refuse(Map<String, Integer> unanswered, String id, String key, String violation) {
        if (unanswered.getOrDefault(id, 0) > 0) {
            world.anomaly("I9", worker, key, violation);
        }
    }

    private static void begin(Map<String, Integer> unanswered, String id) {
        unanswered.merge(id, 1, Integer::sum);
    }

    /** Counts the command as answered before the engine receives the answer. */
    private static <R> CompletionStage<R> counted(
            Map<String, Integer> unanswered, String id, CompletionStage<R> command) {
        return command.whenComplete((result, failure) -> unanswered.merge(id, -1, Integer::sum));
    }
}
