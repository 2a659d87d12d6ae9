package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import java.util.concurrent.CompletionStage;

/**
 * One of several stores that decide by a majority of votes. Besides what every backend does, it tells the time on the
 * clock by which its leases end, since a vote of a store whose clock was set proves nothing; and it raises the fencing
 * tokens of an owner, see {@link AcquireCommand}.
 *
 * <p>A store that can forget locks, by a restart or a failover, answers {@link AcquireResult.Recovering} until none of
 * those it may have forgotten is alive.
 *
 * <p>Commands of one key are answered in the order in which they were executed, also where that is not the one in which
 * they were sent; but for those that are answered with unknown. Hence a grant that is told before the answer to a later
 * release was executed before it.
 */
public interface QuorumNode extends LockBackend {

    /**
     * As {@link #acquire}, with the time of the store. A caller that asks a single store has no use for that, and asks
     * without.
     *
     * @param command what to acquire
     * @return the outcome, and when it was decided
     */
    CompletionStage<Vote> vote(AcquireCommand command);
}
