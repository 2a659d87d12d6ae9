package io.github.lockstarter.fence;

import static io.github.lockstarter.fence.testing.Overlapping.handle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.fence.testing.Overlapping;
import io.github.lockstarter.local.LocalLockBackend;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldFencingTokensTests {

    private final LockContext ofAsynchronousWork =
            LockContext.NONE.with(handle(1, "outer")).with(handle(2, "inner"));

    @Test
    void includesTheOuterLocksOfAsynchronousWork() {
        assertThat(ofAsynchronousWork.call(HeldFencingTokens::ofThread))
                .containsExactly(entry("inner", 2L), entry("outer", 1L));
    }

    @Test
    void includesTheLocksOfAsynchronousWorkInsideALockedMethod() {
        LockContext before = ofAsynchronousWork.bind();
        try {
            assertThat(Overlapping.hold(3, HeldFencingTokens::ofThread, "method"))
                    .containsExactly(entry("inner", 2L), entry("method", 3L), entry("outer", 1L));
        } finally {
            before.bind();
        }
    }

    /** Readers overlap: one of them would overtake the others. */
    @Test
    void leavesOutLocksThatAreRead() {
        LockRequest toRead = LockRequest.ofAll(List.of("a", "b")).mode(LockMode.READ);
        try (LocalLockBackend store = new LocalLockBackend();
                LockEngine engine = new LockEngine(store, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM)) {
            LockTemplate locks = new LockTemplate(engine);
            locks.execute(
                    "c",
                    () -> locks.execute(toRead, () -> {
                        assertThat(HeldFencingTokens.ofThread()).containsOnlyKeys("c");
                    }));
            locks.execute(
                    "a",
                    () -> locks.execute(toRead, () -> {
                        assertThat(HeldFencingTokens.ofThread()).containsOnlyKeys("a"); // written by the outer section
                    }));
            locks.execute(toRead, () -> assertThatThrownBy(HeldFencingTokens::ofThread)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("only read (mode READ)"));
        }
    }
}
