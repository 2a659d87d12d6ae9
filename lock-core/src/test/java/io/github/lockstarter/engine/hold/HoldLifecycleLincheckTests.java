package io.github.lockstarter.engine.hold;

import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.engine.hold.HoldLifecycle.Exit;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.Deadline;
import io.github.lockstarter.testing.Effort;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model check of {@link HoldLifecycle}: every interleaving of its steps gives what some order of the same calls gives
 * on {@link Sequential}, a model without concurrency. Besides, no renewal is written once the release was sent, and the
 * release is sent at most once: a violation shows as an {@link AssertionError} that the model never throws.
 */
@Tag(Effort.SLOW)
public class HoldLifecycleLincheckTests {

    private static final long LEASE_END = 10;

    private final AtomicLong now = new AtomicLong();
    private final HoldLifecycle lifecycle = new HoldLifecycle(
            new EngineClock(now::get, InstantSource.fixed(Instant.EPOCH)), new Deadline(LEASE_END, Long.MAX_VALUE));
    private final AtomicInteger releasesSent = new AtomicInteger();

    @Operation
    public boolean enter() {
        return lifecycle.enter();
    }

    @Operation
    public String leave() {
        Exit exit;
        try {
            exit = lifecycle.exit();
        } catch (IllegalStateException moreExitsThanHolds) {
            return "over";
        }
        return switch (exit) {
            case STILL_HELD -> "still held";
            case SEND_RELEASE -> {
                sendRelease();
                yield "released";
            }
            case RELEASE_FOLLOWS -> "released";
            case LOST -> {
                sendRelease();
                yield "lost";
            }
            case LOST_STILL_ENTERED, LOST_RELEASE_FOLLOWS -> "lost";
        };
    }

    @Operation
    public String renew() {
        if (!lifecycle.beginRenewal()) {
            return "refused";
        }
        if (releasesSent.get() > 0) {
            throw new AssertionError("A renewal is written after the release");
        }
        if (lifecycle.endRenewal()) {
            sendRelease();
        }
        return "written";
    }

    @Operation
    public boolean renewed() {
        return lifecycle.renewed(new Deadline(LEASE_END * 2, Long.MAX_VALUE));
    }

    @Operation
    public boolean isHeldNow() {
        lifecycle.expire(LossCause.LEASE_EXPIRED);
        return lifecycle.isHeld();
    }

    @Operation
    public boolean lose() {
        return lifecycle.lose(LossCause.OWNER_CHANGED);
    }

    @Operation(runOnce = true)
    public void passLease() {
        now.set(LEASE_END);
    }

    private void sendRelease() {
        if (releasesSent.incrementAndGet() > 1) {
            throw new AssertionError("The release is sent twice");
        }
    }

    @Test
    void behavesAsIfEachCallWereAtomic() {
        new ModelCheckingOptions()
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2)
                .iterations(Effort.of(1, 12))
                .invocationsPerIteration(Effort.of(50, 300))
                .sequentialSpecification(Sequential.class)
                .check(HoldLifecycleLincheckTests.class);
    }

    /** What a hold does when nothing happens at the same time. */
    public static class Sequential {

        private enum State {
            HELD,
            RELEASED,
            LOST
        }

        private State state = State.HELD;
        private int holds = 1;
        private long now;
        private long end = LEASE_END;

        public boolean enter() {
            if (state == State.HELD) {
                holds++;
            }
            return state == State.HELD;
        }

        public String leave() {
            if (state == State.RELEASED || holds == 0) {
                return "over";
            }
            holds--;
            if (state == State.LOST) {
                return "lost";
            }
            if (holds > 0) {
                return "still held";
            }
            state = State.RELEASED;
            return "released";
        }

        public String renew() {
            return state == State.HELD ? "written" : "refused";
        }

        public boolean renewed() {
            boolean effective = state == State.HELD && now < end;
            if (effective) {
                end = LEASE_END * 2;
            }
            return effective;
        }

        public boolean isHeldNow() {
            if (state == State.HELD && now >= end) {
                state = State.LOST;
            }
            return state == State.HELD;
        }

        public boolean lose() {
            boolean lost = state == State.HELD;
            if (lost) {
                state = State.LOST;
            }
            return lost;
        }

        public void passLease() {
            now = LEASE_END;
        }
    }
}
