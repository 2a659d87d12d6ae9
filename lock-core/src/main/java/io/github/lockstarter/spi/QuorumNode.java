package io.github.lockstarter.spi;

import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * A backend that votes in a quorum. It reports the time of the clock that ends its leases, and can raise the fencing
 * token of an owner, see {@link AcquireCommand}.
 * <p>A node that can forget locks, by restart or failover, answers {@link AcquireResult.Recovering} until every lock
 * that it may have forgotten has expired.
 * <p>Commands of one key are answered in execution order, even if that differs from the order of sending, except for
 * unknown results. Hence a grant that is answered before a later release was executed before it.
 */
public interface QuorumNode extends LockBackend {

    /**
     * A node's answer to an attempt.
     *
     * @param result result
     * @param storeMicros node's clock in microseconds since any fixed instant, read in the step that decided the
     *     result; empty if the node did not answer
     */
    record Vote(AcquireResult result, OptionalLong storeMicros) {}

    /**
     * {@return the result of {@link #attemptAcquire}, with the time of its decision}
     *
     * @param command attempt
     */
    CompletionStage<Vote> vote(AcquireCommand command);
}
