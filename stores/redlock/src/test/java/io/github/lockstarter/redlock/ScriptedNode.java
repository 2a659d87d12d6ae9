package io.github.lockstarter.redlock;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.QuorumNode;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A node with configurable answers to an operator, which records revocations. */
class ScriptedNode implements QuorumNode {

    final List<Long> revoked = new ArrayList<>();
    StoredLock lock = new StoredLock.Free(0, 0);
    StoreState state;
    boolean hangs;
    Revocation revocation = new Revocation.Revoked();
    OptionalLong storeMicros = OptionalLong.empty();

    ScriptedNode(String name) {
        this.state = new StoreState(name, Optional.empty());
    }

    @Override
    public String toString() {
        return state.target();
    }

    @Override
    public CompletionStage<StoredLock> inspect(String key, int slot) {
        return CompletableFuture.completedFuture(lock);
    }

    @Override
    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        revoked.add(fencingToken);
        return CompletableFuture.completedFuture(revocation);
    }

    @Override
    public CompletionStage<StoreState> state() {
        return hangs ? new CompletableFuture<>() : CompletableFuture.completedFuture(state);
    }

    @Override
    public CompletionStage<Vote> vote(AcquireCommand command) {
        return attemptAcquire(command).thenApply(result -> new Vote(result, storeMicros));
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        return CompletableFuture.completedFuture(new AcquireResult.Granted(1, 0));
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        return CompletableFuture.completedFuture(new ReleaseResult.NotHeld());
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {}

    @Override
    public void close() {}
}
