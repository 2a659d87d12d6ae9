package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** An engine without a time limit for hand-overs, and a queue of waiters. */
abstract class HandOverInterleavings extends EngineInterleavings {

    /** Long enough for sixteen hand-overs on a busy machine. */
    HandOverInterleavings() {
        super(new EngineSettings.HandOver(16, Duration.ofSeconds(20)));
    }

    /** Hands over along a queue of waiters. */
    LockHandle handOver(LockHandle first, int times) throws Exception {
        Deque<CompletableFuture<LockHandle>> waiting = new ArrayDeque<>();
        LockHandle holder = first;
        for (int i = 0; i < times; i++) {
            waiting.add(engine.acquireAsync(REQUEST));
        }
        while (!waiting.isEmpty()) {
            long before = holder.fencingToken();
            releasing(holder).get(Patience.SECONDS, TimeUnit.SECONDS);
            holder = waiting.remove().get(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(holder.fencingToken()).isEqualTo(before + 1);
        }
        assertThat(backend.isQuiet()).isTrue();
        return holder;
    }
}
