package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
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
    void aJobThatEndsItsProcessUnderALockEndsIt() {
        try (ChildJvm program = ChildJvm.start(ExitingJob.class)) {
            assertThat(program.awaitExit(Patience.TIME)).isEqualTo(ExitingJob.CODE);
        }
    }

    @Test
    void releasesTheLocksOfTheEndingThreadOnly() {
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

            CompletableFuture<Void> drained = first.engine().drain();
            first.engine().releaseOfEndingThreads();

            try (LockHandle next = second.locks().acquire("own")) {
                assertThat(next.isHeld()).isTrue();
                assertThat(inner.isHeld()).isFalse();
                assertThatThrownBy(outer::ensureHeld).isInstanceOf(LockLostException.class);
                assertThat(inner.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);
                outer.close();
                assertThat(next.isHeld()).isTrue();
            }
            assertThat(ofAnother.isHeld()).isTrue();
            assertThat(ofHandle.isHeld()).isTrue();
            assertThat(drained).isNotDone();
            ofHandle.close();
            ofAnother.close();
            drained.join();
        }
    }
}
