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
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        return store.acquire(command);
    }

    @Override
    public List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        return store.renew(commands);
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        return store.release(command);
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
