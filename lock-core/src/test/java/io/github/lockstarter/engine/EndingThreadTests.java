package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.local.LocalLockBackend;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A shutdown does not wait for the locks of a thread that waits for the shutdown. */
class EndingThreadTests {

    @Test
    void aShutdownDoesNotWaitForAThreadInAnExitOfTheProcess() {
        try (ChildJvm program = ChildJvm.start(ExitingJob.class)) {
            assertThat(program.awaitExit(Patience.TIME)).isEqualTo(ExitingJob.CODE);
            assertThat(program.lines()).contains(ExitingJob.LOST);
        }
    }

    @Test
    void theThreadThatStopsTheApplicationLosesItsOwnLocksOnly() {
        LockRequest others = LockRequest.of("others");
        LockRequest handles = LockRequest.of("handle").ownedByHandle();
        try (LocalLockBackend store = new LocalLockBackend();
                Application first = Application.over(store);
                Application second = Application.over(store)) {
            LockHandle ofAnother = CompletableFuture.supplyAsync(
                            () -> first.locks().acquire(others))
                    .join();
            LockHandle ofHandle = first.locks().acquire(handles);
            LockHandle outer = first.locks().acquire("own");
            LockHandle inner = first.locks().acquire("own");
            LockRequest read = LockRequest.of("read").mode(LockMode.READ);
            LockRequest alsoRead = LockRequest.of("read by a handle").mode(LockMode.READ);
            LockHandle reader = first.locks().acquire(read);
            LockHandle oneReader = first.locks().acquire(alsoRead);
            LockHandle otherReader = first.locks().acquire(alsoRead.ownedByHandle());

            CompletableFuture<Void> drained = first.engine().drain();
            first.engine().loseLocksOfThreadsAwaitingShutdown();

            await().untilAsserted(() -> assertThat(first.events().of(LockEvent.Lost.class))
                    .extracting(LockEvent.Lost::cause)
                    .containsExactly(LossCause.SHUTDOWN, LossCause.SHUTDOWN));
            assertThat(reader.release()).isEqualTo(ReleaseOutcome.LOST);
            try (LockHandle next = second.locks().acquire("own")) {
                assertThat(inner.isHeld()).isFalse();
                assertThatThrownBy(outer::ensureHeld)
                        .isInstanceOf(LockLostException.class)
                        .hasMessageContaining("shut down");
                assertThat(inner.release()).isEqualTo(ReleaseOutcome.LOST);
                assertThatThrownBy(outer::close).isInstanceOf(LockLostException.class);
                assertThat(next.isHeld()).isTrue();
            }
            assertThat(ofAnother.isHeld()).isTrue();
            assertThat(ofHandle.isHeld()).isTrue();
            assertThat(drained).isNotDone();
            ofHandle.close();
            ofAnother.close();
            oneReader.close();
            otherReader.close();
            drained.join();
        }
    }
}
