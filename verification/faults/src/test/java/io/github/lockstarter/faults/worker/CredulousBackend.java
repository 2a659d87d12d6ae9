package io.github.lockstarter.faults.worker;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.StoreCapabilities;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A control: considers each renewal successful without sending it, and reports neither crashes nor the end of a
 * session, so a holder relies on leases that the store has ended.
 */
final class CredulousBackend implements LockBackend {

    private final LockBackend backend;

    CredulousBackend(LockBackend backend) {
        this.backend = backend;
    }

    @Override
    public StoreCapabilities capabilities() {
        return backend.capabilities();
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        return backend.acquire(command);
    }

    @Override
    public List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        return commands.stream()
                .<CompletionStage<RenewResult>>map(
                        command -> CompletableFuture.completedFuture(new RenewResult.Renewed()))
                .toList();
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        return backend.release(command);
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        backend.listen(instanceId, listener);
    }

    @Override
    public void close() {
        backend.close();
    }
}
