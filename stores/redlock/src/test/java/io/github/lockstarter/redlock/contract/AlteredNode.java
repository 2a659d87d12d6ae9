package io.github.lockstarter.redlock.contract;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.QuorumNode;
import io.github.lockstarter.spi.QuorumNode.Vote;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** A server as a client would see it that has not one of the guards, or whose clock is another one. */
public final class AlteredNode implements QuorumNode {

    private final QuorumNode node;
    private final UnaryOperator<OptionalLong> time;
    private final boolean raises;

    private AlteredNode(QuorumNode node, UnaryOperator<OptionalLong> time, boolean raises) {
        this.node = node;
        this.time = time;
        this.raises = raises;
    }

    /** Reports another time. */
    public static AlteredNode telling(UnaryOperator<OptionalLong> time, QuorumNode node) {
        return new AlteredNode(node, time, true);
    }

    /** Reports no time. */
    public static AlteredNode withoutClock(QuorumNode node) {
        return new AlteredNode(node, time -> OptionalLong.empty(), true);
    }

    /** Says that it raised a fencing token, and does nothing. */
    public static AlteredNode withoutRaise(QuorumNode node) {
        return new AlteredNode(node, UnaryOperator.identity(), false);
    }

    @Override
    public CompletionStage<Vote> vote(AcquireCommand command) {
        return node.vote(command).thenApply(vote -> new Vote(vote.result(), time.apply(vote.storeMicros())));
    }

    /** A vote counter sends such an attempt to raise a token; without renewals it sends nothing else. */
    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        return raises
                ? node.attemptAcquire(command)
                : CompletableFuture.completedFuture(new AcquireResult.Granted(command.fencingFloor() + 1, 0));
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return node.renewLeases(commands);
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        return node.releaseToken(command);
    }

    @Override
    public boolean isSilence(Throwable failure) {
        return node.isSilence(failure);
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        node.listen(instanceId, listener);
    }

    @Override
    public void close() {
        node.close();
    }
}
