package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Withdrawals that a server executes after their instance has given them up, such as on a connection that the client
 * has replaced. Such a withdrawal ends the place that a later attempt took, so that the next release signals another
 * instance or none. The instance takes another place with its next attempt.
 */
final class LateWithdrawals {

    private final World world;
    private final Set<String> unanswered = new HashSet<>();

    /** When a place was ended, by key and by the id of the instance. */
    private final Map<String, Map<String, Long>> endedAt = new HashMap<>();

    LateWithdrawals(World world) {
        this.world = world;
    }

    /** An instance sends one. */
    CompletionStage<ReleaseResult> send(ReleaseCommand command, Supplier<CompletionStage<ReleaseResult>> sending) {
        String id =
                id(command.key(), command.token().instanceId(), command.token().number());
        unanswered.add(id);
        return sending.get().whenComplete((result, failure) -> unanswered.remove(id));
    }

    /** A server has executed one, which ended the place of the instance in the queue. */
    void endedPlace(String key, String instanceId, long sequence) {
        if (!unanswered.contains(id(key, instanceId, sequence))) {
            endedAt.computeIfAbsent(key, unseen -> new HashMap<>()).put(instanceId, world.time.nanos());
        }
    }

    /** An instance sends an attempt. */
    void attempt(AcquireCommand command) {
        if (command.waiting().isPresent()) {
            endedAt.getOrDefault(command.key(), new HashMap<>())
                    .remove(command.token().instanceId());
        }
    }

    /**
     * The instances whose place such a withdrawal has removed, until their next attempt at the latest. Removes
     * instances that have a place again.
     *
     * @param queue ids of the instances that have a place now
     */
    Set<Instance> instancesWithoutPlace(String key, Set<String> queue) {
        long lookedBy = world.time.nanos() - world.setting.untilNextLook().toNanos();
        Map<String, Long> ended = endedAt.getOrDefault(key, new HashMap<>());
        ended.entrySet().removeIf(each -> queue.contains(each.getKey()) || each.getValue() < lookedBy);
        return ended.keySet().stream()
                .map(world::running)
                .flatMap(Optional::stream)
                .collect(Collectors.toSet());
    }

    private static String id(String key, String instanceId, long sequence) {
        return key + ' ' + instanceId + ':' + sequence;
    }
}
