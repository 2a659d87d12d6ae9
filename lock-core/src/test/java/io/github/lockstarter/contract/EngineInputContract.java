package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A lease above the longest is refused before a command is sent; the longest wait overflows nothing. */
public abstract class EngineInputContract extends EngineContract {

    public EngineInputContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void refusesALeaseAboveTheLongestAllowed() {
        LockRequest tooLong = request.lease(Application.PATIENT.maxLease().plusMillis(1));

        assertThatThrownBy(() -> first.locks().acquire(tooLong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("max-lease");
        assertThat(first.backend().sent()).isEmpty();
    }

    @Test
    void refusesAnExtensionAboveTheLongestAllowed() {
        try (LockHandle held = first.locks().acquire(request)) {
            Duration tooLong = Application.PATIENT.maxLease().plusMillis(1);
            assertThatThrownBy(() -> held.extend(request.lease(tooLong)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("distributed-lock.max-lease");
            // The watchdog may have renewed it.
            assertThat(first.backend().renewedFor()).allMatch(Application.PATIENT.lease()::equals);
        }
    }

    @Test
    void acceptsTheLongestWaitWithoutOverflow() {
        try (LockHandle held = first.locks().acquire(request.maxWait(LockRequest.MAX_DURATION))) {
            assertThat(held.isHeld()).isTrue();
        }
    }
}
