package io.github.lockstarter.fence;

import static io.github.lockstarter.fence.testing.Overlapping.handle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.github.lockstarter.LockContext;
import io.github.lockstarter.fence.testing.Overlapping;
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
}
