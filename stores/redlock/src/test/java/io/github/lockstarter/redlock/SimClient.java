package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A client that acquires the lock repeatedly, and treats answers as the engine does: it counts a lease from before the
 * command was sent, less the drift, renews after every third of it, and gives back late grants and grants of unknown
 * outcome.
 */
final class SimClient {

    /**
     * How a client uses the lock.
     *
     * @param pause longest time between two attempts
     * @param crashes probability that it does not give a lock back
     */
    record Habits(Duration lease, Duration longestWork, Duration pause, double crashes) {}

    private static final String KEY = "order:42";

    private final SimWorld world;
    private final RedlockBackend backend;
    private final String instanceId;
    private final Habits habits;
    private final Duration lease;
    private long sequence;

    SimClient(SimWorld world, RedlockBackend backend, String instanceId, Habits habits) {
        this.world = world;
        this.backend = backend;
        this.instanceId = instanceId;
        this.habits = habits;
        this.lease = habits.lease();
    }

    void start() {
        world.after(world.upTo(1_000_000), this::attempt);
    }

    private void attempt() {
        LockToken token = new LockToken(instanceId, ++sequence);
        int many = world.chance(0.2) ? 1 + world.random.nextInt(AcquireCommand.MAX_FENCING_TOKENS) : 1;
        Optional<Waiting> waiting = world.chance(0.5) ? Optional.of(new Waiting(Waiting.NEW, lease)) : Optional.empty();
        long sent = world.nanos();
        backend.attemptAcquire(new AcquireCommand(KEY, token, lease, 0, many, waiting))
                .thenAccept(result -> answered(token, many, sent, result));
    }

    private void answered(LockToken token, int many, long sent, AcquireResult result) {
        if (result instanceof AcquireResult.Granted granted) {
            long last = granted.fencingToken() + many - 1;
            SimHold hold = new SimHold(token, last, deadline(sent));
            if (hold.isValid(world.nanos())) {
                world.granted(hold, granted.fencingToken(), last);
                work(hold);
                return;
            }
        }
        if (!(result instanceof AcquireResult.Contended)) {
            world.errors += result instanceof AcquireResult.Recovering ? 0 : 1;
            backend.releaseToken(new ReleaseCommand(KEY, token, 0));
        }
        world.after(world.upTo(habits.pause().toNanos()), this::attempt);
    }

    private long deadline(long sent) {
        return sent + lease.toNanos() - Math.max(lease.toNanos() / 100, 2_000_000);
    }

    /** Sometimes a hold is neither renewed nor released: the process has died, and another one replaces it. */
    private void work(SimHold hold) {
        if (world.chance(habits.crashes())) {
            world.after(world.upTo(lease.toNanos()), this::attempt);
            return;
        }
        long end = world.nanos() + world.upTo(habits.longestWork().toNanos());
        renewUntil(hold, end);
        world.after(end - world.nanos(), () -> {
            hold.end(world.nanos());
            backend.releaseToken(new ReleaseCommand(KEY, hold.token, hold.lastFencingToken));
            world.after(world.upTo(habits.pause().toNanos()), this::attempt);
        });
    }

    private void renewUntil(SimHold hold, long end) {
        long next = lease.toNanos() / 3;
        if (world.nanos() + next >= end) {
            return;
        }
        world.after(next, () -> {
            if (!hold.isValid(world.nanos())) {
                return;
            }
            long sent = world.nanos();
            backend.renewLeases(List.of(new RenewCommand(KEY, hold.token, lease, hold.lastFencingToken, 0)))
                    .get(0)
                    .thenAccept(result -> renewed(hold, sent, result));
            renewUntil(hold, end);
        });
    }

    private void renewed(SimHold hold, long sent, RenewResult result) {
        if (!hold.isValid(world.nanos())) {
            return;
        }
        if (result instanceof RenewResult.Renewed) {
            hold.deadline = Math.max(hold.deadline, deadline(sent));
            world.renewed(hold);
        } else if (result instanceof RenewResult.NotHeld) {
            hold.end(world.nanos());
        }
    }
}
