package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Locks of another store with a configurable report about crash takeover. */
record CrashTakeoverStore(LockBackend store, CrashTakeover crashTakeover) implements LockBackend {

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        return store.attemptAcquire(command);
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return store.renewLeases(commands);
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        return store.releaseToken(command);
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        store.listen(instanceId, listener);
    }

    @Override
    public void close() {
        store.close();
    }
}
