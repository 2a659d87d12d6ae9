package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.GrantTime;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Keep;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * When each node granted a lock, by its own clock. Votes that come late add theirs while the lock is held. Thread-safe.
 */
final class QuorumGrantTime implements GrantTime {

    private final AtomicReferenceArray<@Nullable GrantTime> times;

    QuorumGrantTime(int nodes) {
        this.times = new AtomicReferenceArray<>(nodes);
    }

    void granted(int node, Granted vote) {
        vote.grantTime().ifPresent(time -> times.set(node, time));
    }

    /** The release as a node understands it: with the time that this node told. */
    static ReleaseCommand at(int node, ReleaseCommand command) {
        Optional<Keep> keep = command.keep()
                .map(all -> new Keep(
                        all.atLeast(),
                        all.grantTime()
                                .filter(QuorumGrantTime.class::isInstance)
                                .map(time -> ((QuorumGrantTime) time).times.get(node))));
        return keep.isEmpty()
                ? command
                : new ReleaseCommand(command.key(), command.token(), command.fencingToken(), command.requeue(), keep);
    }
}
