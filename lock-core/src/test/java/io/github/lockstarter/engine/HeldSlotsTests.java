package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HeldSlotsTests {

    /** The compiler cannot: it does not know the monitor of an event. */
    @Test
    void areReachedOnlyUnderTheMonitorOfTheKey() {
        KeyLock lock = new KeyLock("order:42", null); // no run is used here
        assertThatThrownBy(lock::held).isExactlyInstanceOf(AssertionError.class);
        synchronized (lock) {
            assertThat(lock.held()).isNotNull();
        }
    }
}
