package io.github.lockstarter.engine;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Passes the lock of a hold that its owner leaves to the token of a ticket, instead of a release. */
final class Detachment implements StoreCalls.Continuation<AcquireResult> {

    private final Hold left;

    final AcquireCommand command;

    /** Null until the store has answered; read by the owner after the end of its hold. */
    volatile @Nullable AcquireResult answer;

    Detachment(Hold left, LockToken token, Duration lease, long floor) {
        this.left = left;
        this.command = new AcquireCommand(
                left.lock.key,
                token,
                lease,
                floor,
                1,
                Optional.empty(),
                Duration.ZERO,
                1,
                Optional.of(left.grant.token.value()));
    }

    /** Of the ticket's token, which may have the lock. */
    ReleaseCommand releaseCommand() {
        return new ReleaseCommand(command.key(), command.token(), StoreCalls.NO_GRANT);
    }

    @Override
    public void accept(AcquireResult result) {
        answer = result;
        left.lock.running.run(left.lock, (todo, now) -> left.lock.held().detached(todo, left, this, result, now));
    }

    @Override
    public void failed(Throwable cause) {
        left.endUnknown();
        left.lock.fail(cause);
    }
}
