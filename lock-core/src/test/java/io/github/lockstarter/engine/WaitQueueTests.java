package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineSettings;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitQueueTests {

    private static Waiter waiter(int permits) {
        ResolvedRequest terms =
                ResolvedRequest.of(LockRequest.of("order:42").permits(permits), EngineSettings.DEFAULTS);
        return new Waiter(null, terms, HoldOwner.HANDLE, 0); // without a key
    }

    /** Otherwise each event would look for one along the whole line, and the waiters would poll. */
    @Test
    void noticesThatNoWaiterForMorePermitsIsLeft() {
        List<Waiter> waiters = List.of(waiter(1), waiter(3), waiter(2), waiter(3));
        WaitQueue queue = WaitQueue.EMPTY;
        for (Waiter each : waiters) {
            queue = queue.with(each);
        }
        assertThat(queue.firstAbove(2)).isSameAs(waiters.get(1));

        queue.remove(waiters.get(1));
        queue.remove(waiters.get(3));
        assertThat(queue.firstAbove(2)).isNull();
        assertThat(queue.maxPermits()).isEqualTo(2);
        assertThat(queue.firstAbove(1)).isSameAs(waiters.get(2));
        queue.remove(waiters.get(2));
        queue.remove(waiters.get(0));
        assertThat(queue.maxPermits()).isZero();
    }
}
