package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the server has to read for a lock. */
class NetworkCostIT extends RedisScenario {

    private final Application application = newApplication();

    @BeforeEach
    void connectAndLoadTheScripts() {
        warmedUp(application);
    }

    @Test
    void readsTwiceForAnUncontendedAcquireAndRelease() {
        assertThat(server().readsDuring(
                                () -> application.locks().acquire(request).close()))
                .isEqualTo(2);
        assertThat(server().readsDuring(() -> {
                    for (int i = 0; i < 100; i++) {
                        application.locks().acquire(request).close();
                    }
                }))
                .isEqualTo(200);
    }

    @Test
    void readsNothingForANestedAcquireAndRelease() {
        try (LockHandle outer = application.locks().acquire(request)) {
            assertThat(server().readsDuring(
                                    () -> application.locks().acquire(request).close()))
                    .isZero();
            assertThat(outer.isHeld()).isTrue();
        }
    }

    @Test
    void readsNothingForAQuestion() {
        try (LockHandle held = application.locks().acquire(request)) {
            assertThat(server().readsDuring(() -> {
                        assertThat(held.isHeld()).isTrue();
                        assertThat(held.remainingLease()).isPositive();
                        assertThat(held.fencingToken()).isPositive();
                        held.ensureHeld();
                        assertThat(application.locks().heldLocks().size()).isOne();
                    }))
                    .isZero();
        }
    }
}
