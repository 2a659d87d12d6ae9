package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store of one lock with its own clock, which can fail, restart and lose data. It keeps no queue. */
final class SimNode {

    private static final long EPOCH_MICROS = 1_790_000_000_000_000L;

    private final SimWorld world;
    private final Duration grace;
    private final boolean writesBack;
    private long skewNanos;
    private @Nullable LockToken owner;
    private long leaseEnd;

    /** The last fencing token of the owner. */
    private long held;

    private long fence;
    private long recoveringUntil = Long.MIN_VALUE;
    boolean up = true;

    /**
     * A node without locks.
     *
     * @param grace time without grants after a loss of data; zero for a node without guard
     * @param writesBack false if it confirms a raised fencing token without storing it
     */
    SimNode(SimWorld world, Duration grace, boolean writesBack) {
        this.world = world;
        this.grace = grace;
        this.writesBack = writesBack;
    }

    void restartEmpty() {
        owner = null;
        fence = 0;
        recoveringUntil = world.nanos() + grace.toNanos();
    }

    void setClock(Duration forward) {
        skewNanos += forward.toNanos();
    }

    private long clock() {
        return world.nanos() + skewNanos;
    }

    long micros() {
        return EPOCH_MICROS + Math.floorDiv(clock(), 1_000L);
    }

    private boolean isFree() {
        return owner == null || leaseEnd - clock() <= 0;
    }

    boolean has(LockToken token) {
        return !isFree() && token.equals(owner);
    }

    AcquireResult acquire(AcquireCommand command) {
        int many = command.fencingTokens();
        if (has(command.token())) {
            long first = held - many + 1;
            if (first > command.fencingFloor()) {
                return new AcquireResult.Granted(first, 0);
            }
            held = writesBack ? command.fencingFloor() + many : held;
            fence = Math.max(fence, held);
            return new AcquireResult.Granted(command.fencingFloor() + 1, 0);
        }
        if (!isFree()) {
            return new AcquireResult.Contended(Optional.of(Duration.ofNanos(leaseEnd - clock())), Waiting.NEW);
        }
        if (world.nanos() < recoveringUntil) {
            return new AcquireResult.Recovering(
                    Duration.ofNanos(recoveringUntil - world.nanos()), "the node may have forgotten locks");
        }
        owner = command.token();
        leaseEnd = clock() + command.lease().toNanos();
        long first = Math.max(Math.max(fence + 1, micros()), command.fencingFloor() + 1);
        fence = first + many - 1;
        held = fence;
        return new AcquireResult.Granted(first, 0);
    }

    /** A recovering node restores a lock for the client that renews it: no other one can have had it since. */
    RenewResult renew(RenewCommand command) {
        boolean reclaims = isFree() && world.nanos() < recoveringUntil;
        if (!reclaims && !has(command.token())) {
            return new RenewResult.NotHeld();
        }
        leaseEnd = reclaims
                ? clock() + command.lease().toNanos()
                : Math.max(leaseEnd, clock() + command.lease().toNanos());
        if (reclaims) {
            held = command.fencingToken();
            fence = Math.max(fence, held);
        }
        owner = command.token();
        return new RenewResult.Renewed();
    }

    ReleaseResult release(ReleaseCommand command) {
        if (!has(command.token())) {
            return new ReleaseResult.NotHeld();
        }
        owner = null;
        return new ReleaseResult.Released(0);
    }
}
