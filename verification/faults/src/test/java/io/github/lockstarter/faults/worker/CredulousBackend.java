package io.github.lockstarter.faults.worker;

import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.testing.ForwardingBackend;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A control: considers each renewal successful without sending it, and reports neither crashes nor the end of a
 * session, so a holder relies on leases that the store has ended.
 */
final class CredulousBackend extends ForwardingBackend {

    CredulousBackend(LockBackend backend) {
        super(backend);
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return commands.stream()
                .<CompletionStage<RenewResult>>map(
                        command -> CompletableFuture.completedFuture(new RenewResult.Renewed()))
                .toList();
    }

    @Override
    public Optional<CrashDetection> crashDetection() {
        return Optional.empty();
    }
}
