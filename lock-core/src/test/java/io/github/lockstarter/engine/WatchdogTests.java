package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.RenewCommand;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WatchdogTests {

    private final ManualEngine engine = new ManualEngine(List.of(), lock -> {});

    /** However much there is to do, a lease must not end for it. */
    @Test
    void renewsBeforeAnythingElseOfTheTick() {
        KeyLock waiting = attempted("waiting", new AcquireResult.Contended(Optional.empty(), Waiting.NEW));
        KeyLock held = attempted("held", new AcquireResult.Granted(1, 0));
        engine.letPass(ManualEngine.SETTINGS.lease().dividedBy(3));
        waiting.fire();
        held.fire();
        engine.timer.tick(engine.now().nanos());

        assertThat(engine.store.unanswered)
                .extracting(ManualStore.Sent::command)
                .hasExactlyElementsOfTypes(RenewCommand.class, AcquireCommand.class);
    }

    private KeyLock attempted(String key, AcquireResult answer) {
        LockRequest request = LockRequest.of(key).maxWait(ManualCaller.LONG);
        new Acquisitions(engine.running)
                .acquireAsync(key, ResolvedRequest.of(request, ManualEngine.SETTINGS), new CompletableFuture<>());
        engine.store.unanswered.remove(0).answer().complete(answer);
        return engine.running.known(key);
    }
}
