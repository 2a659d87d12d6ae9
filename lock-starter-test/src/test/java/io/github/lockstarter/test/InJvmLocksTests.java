package io.github.lockstarter.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class InJvmLocksTests {

    /** The service under test. */
    private record Orders(LockOperations locks) {

        String cancel(long id) {
            LockRequest request = LockRequest.of("order:" + id).maxWait(Duration.ofMillis(100));
            return locks.execute(request, () -> "cancelled " + id);
        }
    }

    @Test
    void runsLockedWork() {
        try (InJvmLocks locks = new InJvmLocks()) {
            assertThat(new Orders(locks).cancel(42)).isEqualTo("cancelled 42");
        }
    }

    @Test
    void refusesALockThatAnotherOwnerHolds() {
        try (InJvmLocks locks = new InJvmLocks()) {
            LockHandle other = locks.acquireAsync("order:42").join();

            assertThatThrownBy(() -> new Orders(locks).cancel(42)).isInstanceOf(LockNotAcquiredException.class);

            other.release();
            assertThat(new Orders(locks).cancel(42)).isEqualTo("cancelled 42");
        }
    }

    @Test
    void hasReaders() {
        try (InJvmLocks locks = new InJvmLocks()) {
            LockRequest read = LockRequest.of("catalog").mode(LockMode.READ);
            LockHandle other = locks.acquireAsync(read).join();

            assertThat(locks.execute(read, () -> "read")).isEqualTo("read");
            assertThat(locks.tryAcquire("catalog")).isEmpty();

            other.release();
            assertThat(locks.tryAcquire("catalog")).isPresent();
        }
    }

    @Test
    void isIndependentOfOtherInstances() {
        try (InJvmLocks one = new InJvmLocks();
                InJvmLocks two = new InJvmLocks()) {
            one.acquire("order:42");

            assertThat(two.tryAcquire("order:42")).isPresent();
        }
    }

    @Test
    void closingReleasesItsLocks() {
        InJvmLocks locks = new InJvmLocks();
        LockHandle held = locks.acquire("order:42");

        locks.close();

        assertThat(held.isHeld()).isFalse();
    }
}
