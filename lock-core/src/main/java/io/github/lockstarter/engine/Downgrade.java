package io.github.lockstarter.engine;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An attempt to read by the token of a hold that writes: the store moves its lock to a slot of readers. */
final class Downgrade implements StoreCalls.Continuation<AcquireResult> {

    static final AcquireResult UNSENT =
            new AcquireResult.Unknown(KeyLock.FAILED, new IllegalStateException(KeyLock.FAILED));

    private final Hold hold;

    final AcquireCommand command;
    final CompletableFuture<AcquireResult> answer = new CompletableFuture<>();

    /** Guarded by the {@link KeyLock}. */
    boolean sent;

    Downgrade(Hold hold) {
        Grant grant = hold.grant;
        long floor = grant.firstFencingToken - 1;
        this.hold = hold;
        this.command = new AcquireCommand(
                hold.lock.key,
                grant.token,
                hold.request.lease(),
                floor,
                Math.toIntExact(grant.lastFencingToken() - floor),
                Optional.empty(),
                Duration.ZERO,
                Slots.OF_READERS.count(),
                Optional.empty(),
                LockMode.READ);
    }

    @Override
    public void accept(AcquireResult result) {
        hold.lock.running.run(hold.lock, (todo, now) -> hold.lock.held().downgraded(todo, hold, result, now));
        answer.complete(result);
    }

    @Override
    public void failed(Throwable cause) {
        hold.lock.fail(cause);
        answer.complete(UNSENT);
    }
}
