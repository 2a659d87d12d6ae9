package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testing.Effort;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A loss interrupts a body, and never the code after it. The locks of nested bodies are lost in any order. */
@Timeout(300)
class InterruptibleBodyTests {

    private static final int RACES = Effort.of(10_000, 100_000);

    /** No later test is interrupted. */
    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    private static boolean isInterrupted() {
        return Thread.currentThread().isInterrupted();
    }

    @Test
    void interruptsARunningBodyAndClearsTheFlagWhenItLeaves() {
        InterruptibleBody body = InterruptibleBody.enter();
        body.interrupt();
        assertThat(isInterrupted()).isTrue();
        body.leave();
        assertThat(isInterrupted()).isFalse();
    }

    @Test
    void doesNotInterruptTheCodeAfterTheBody() {
        InterruptibleBody body = InterruptibleBody.enter();
        body.leave();
        body.interrupt();
        assertThat(isInterrupted()).isFalse();
    }

    @Test
    void interruptsABodyOnce() {
        InterruptibleBody body = InterruptibleBody.enter();
        body.interrupt();
        assertThat(Thread.interrupted()).isTrue();
        body.interrupt(); // the second of its locks is lost
        assertThat(isInterrupted()).isFalse();
        body.leave();
    }

    @Test
    void keepsAnInterruptOfOtherCodeThatCameBeforeTheLoss() {
        InterruptibleBody body = InterruptibleBody.enter();
        Thread.currentThread().interrupt();
        body.interrupt();
        body.leave();
        assertThat(isInterrupted()).isTrue();
    }

    @Test
    void keepsAnInterruptOfOtherCodeWithoutALoss() {
        InterruptibleBody body = InterruptibleBody.enter();
        Thread.currentThread().interrupt();
        body.leave();
        assertThat(isInterrupted()).isTrue();
    }

    /** It may be the flag of the loss, which no one has taken. */
    @Test
    void clearsAnInterruptOfOtherCodeThatCameAfterTheLoss() {
        InterruptibleBody body = InterruptibleBody.enter();
        body.interrupt();
        assertThat(Thread.interrupted()).isTrue();
        Thread.currentThread().interrupt();
        body.leave();
        assertThat(isInterrupted()).isFalse();
    }

    /** The inner body may take the interrupt of the outer one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLossOfAnOuterLockInterruptsTheInnermostBodyAndThenTheOuterOne(boolean taken) {
        InterruptibleBody outer = InterruptibleBody.enter();
        InterruptibleBody inner = InterruptibleBody.enter();
        outer.interrupt();
        assertThat(taken ? Thread.interrupted() : isInterrupted()).isTrue();
        inner.leave();
        assertThat(isInterrupted()).as("in the outer body").isTrue();
        outer.leave();
        assertThat(isInterrupted()).as("after the outer body").isFalse();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void theOuterBodyIsInterruptedAfterTheInnerOneIfBothLocksAreLost(boolean outerFirst, boolean taken) {
        InterruptibleBody outer = InterruptibleBody.enter();
        InterruptibleBody inner = InterruptibleBody.enter();
        (outerFirst ? outer : inner).interrupt();
        (outerFirst ? inner : outer).interrupt();
        assertThat(taken ? Thread.interrupted() : isInterrupted()).isTrue();
        inner.leave();
        assertThat(isInterrupted()).as("in the outer body").isTrue();
        outer.leave();
        assertThat(isInterrupted()).as("after the outer body").isFalse();
    }

    /** Such as a clean-up that locks. */
    @Test
    void aBodyThatWasInterruptedIsNotInterruptedAgainByItsLaterInnerBodies() {
        InterruptibleBody outer = InterruptibleBody.enter();
        outer.interrupt();
        assertThat(Thread.interrupted()).isTrue();
        InterruptibleBody.enter().leave();
        assertThat(isInterrupted()).isFalse();
        outer.leave();
    }

    @Test
    void theLossOfAnInnerLockLeavesTheOuterBodyAlone() {
        InterruptibleBody outer = InterruptibleBody.enter();
        InterruptibleBody inner = InterruptibleBody.enter();
        inner.interrupt();
        inner.leave();
        assertThat(isInterrupted()).isFalse();
        InterruptibleBody second = InterruptibleBody.enter();
        second.leave();
        outer.interrupt();
        assertThat(isInterrupted()).isTrue();
        outer.leave();
        assertThat(isInterrupted()).isFalse();
    }

    @Test
    void keepsAnEarlierInterruptOfOtherCodeThroughNestedBodies() {
        InterruptibleBody outer = InterruptibleBody.enter();
        InterruptibleBody inner = InterruptibleBody.enter();
        Thread.currentThread().interrupt();
        inner.interrupt();
        outer.interrupt();
        inner.leave();
        outer.leave();
        assertThat(isInterrupted()).isTrue();
    }

    // Races

    /** What a loss and the thread of the body call. */
    private interface Racing {

        void interrupt();

        void leave();
    }

    private static Racing guarded() {
        InterruptibleBody body = InterruptibleBody.enter();
        return new Racing() {
            @Override
            public void interrupt() {
                body.interrupt();
            }

            @Override
            public void leave() {
                body.leave();
            }
        };
    }

    /** Asks whether the body is running, and then interrupts. */
    private static final class Unguarded implements Racing {

        private final Thread thread = Thread.currentThread();
        private volatile boolean running = true;

        @Override
        public void interrupt() {
            if (running) {
                LockSupport.parkNanos(1); // a step that the check does not cover
                thread.interrupt();
            }
        }

        @Override
        public void leave() {
            running = false;
            Thread.interrupted();
        }
    }

    /** Leaves the flag to the code after the body. */
    private static final class Uncleared implements Racing {

        private final Thread thread = Thread.currentThread();
        private boolean running = true;

        @Override
        public synchronized void interrupt() {
            if (running) {
                thread.interrupt();
            }
        }

        @Override
        public synchronized void leave() {
            running = false;
        }
    }

    /** The number of bodies, of so many, after which the thread was interrupted; ends with the first if asked to. */
    private static int interruptedAfter(Supplier<Racing> bodies, int races, boolean untilFound) throws Exception {
        AtomicReference<Racing> lost = new AtomicReference<>();
        Thread losing = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                Racing body = lost.get();
                if (body == null) {
                    LockSupport.parkNanos(1);
                } else {
                    body.interrupt();
                    lost.set(null);
                }
            }
        });
        losing.start();
        int found = 0;
        try {
            for (int i = 0; i < races && !(untilFound && found > 0); i++) {
                Racing body = bodies.get();
                lost.set(body);
                for (int step = i % 256; step > 0; step--) {
                    Thread.onSpinWait(); // leaves before, during and after the interrupt
                }
                body.leave();
                boolean interrupted = Thread.interrupted();
                while (lost.get() != null) { // until the loss has done what it does
                    LockSupport.parkNanos(1);
                }
                found += Thread.interrupted() || interrupted ? 1 : 0;
            }
        } finally {
            losing.interrupt();
            losing.join();
        }
        return found;
    }

    @Test
    void noThreadIsInterruptedAfterItsBodyInAnyOfManyRaces() throws Exception {
        assertThat(interruptedAfter(InterruptibleBodyTests::guarded, RACES, false))
                .as("interrupts after the body")
                .isZero();
    }

    @Test
    void theCheckFindsAnInterruptAfterTheBodyWithoutTheGuard() throws Exception {
        assertThat(interruptedAfter(Unguarded::new, Integer.MAX_VALUE, true)).isOne();
    }

    @Test
    void theCheckFindsAFlagThatIsNotCleared() throws Exception {
        assertThat(interruptedAfter(Uncleared::new, Integer.MAX_VALUE, true)).isOne();
    }
}
