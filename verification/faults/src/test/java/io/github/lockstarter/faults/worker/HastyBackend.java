package io.github.lockstarter.faults.worker;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.testing.ForwardingBackend;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A control: the store allows takeovers 1 ms after the end of the holder's connection, while the engine relies on the
 * configured time. This class changes the lock token in all commands to the store.
 */
final class HastyBackend extends ForwardingBackend {

    private static final long HASTY_MILLIS = 1;

    HastyBackend(LockBackend backend) {
        super(backend);
    }

    private static LockToken hasty(LockToken token) {
        return token.takeoverMillis() == 0
                ? token
                : new LockToken(
                        token.instanceId(),
                        token.number(),
                        token.owner(),
                        token.since(),
                        HASTY_MILLIS,
                        token.takeoverCondition());
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        return backend.attemptAcquire(new AcquireCommand(
                command.key(),
                hasty(command.token()),
                command.lease(),
                command.fencingFloor(),
                command.fencingTokens(),
                command.waiting(),
                command.minHold(),
                command.permits(),
                command.replaced(),
                command.mode()));
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return backend.renewLeases(commands.stream()
                .map(each -> new RenewCommand(
                        each.key(), hasty(each.token()), each.lease(), each.fencingToken(), each.slot()))
                .toList());
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        return backend.releaseToken(new ReleaseCommand(
                command.key(),
                hasty(command.token()),
                command.fencingToken(),
                command.ownWait(),
                command.minHold(),
                command.slots()));
    }
}
