package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid input is refused before a command is sent; unusual keys work. */
public abstract class EngineInputContract extends EngineContract {

    public EngineInputContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "\t\n"})
    void refusesABlankKey(String blank) {
        assertThatThrownBy(() -> first.locks().acquire(blank)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> first.locks().tryAcquire(blank)).isInstanceOf(IllegalArgumentException.class);
        assertThat(first.backend().sent()).isEmpty();
    }

    @Test
    void refusesAnOverlongKey() {
        String document = "k".repeat(LockRequest.MAX_KEY_LENGTH + 1);

        assertThatThrownBy(() -> first.locks().acquire(document))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Integer.toString(LockRequest.MAX_KEY_LENGTH));
        assertThat(first.backend().sent()).isEmpty();
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
    void refusesZeroNegativeAndOverflowingDurations() {
        for (Duration impossible : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> request.lease(impossible)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> request.maxWait(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> request.maxWait(Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void acceptsTheLongestWaitWithoutOverflow() {
        try (LockHandle held = first.locks().acquire(request.maxWait(LockRequest.MAX_DURATION))) {
            assertThat(held.isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "}", "{}", ":", "%", "a\nb", "锁", "🔒", "null"})
    void locksKeysThatOnlyLookUnusual(String odd) {
        String oddKey = key + odd;
        try (LockHandle held = first.locks().acquire(oddKey)) {
            assertThat(held.key()).isEqualTo(oddKey);
            assertThat(second.locks().tryAcquire(oddKey)).isEmpty();
            assertThat(second.locks().tryAcquire(key)).hasValueSatisfying(LockHandle::close);
        }
    }
}
