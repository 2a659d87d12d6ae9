package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A section from the grant to its release: reads and writes the resource, and logs what the application may rely on. It
 * checks its handle repeatedly, as applications do; no two sections may be certain of one lock at the same time.
 */
final class EpisodeSection {

    private static final String NOT_WRITTEN = "none";

    /** The application gets it long after the engine did: with the last one. */
    private static final String ONE_OF_SEVERAL = "SEVERAL";

    /** Time until a listener receives a loss on another thread. */
    private static final Duration UNTIL_REPORTED = Duration.ofSeconds(1);

    /** Between two looks, at most. */
    private static final Duration STEP = Duration.ofMillis(8);

    private final World world;
    private final Instance instance;
    private final Asked asked;
    private final List<String> keys;
    private final LockHandle handle;
    private final Random random;
    private final Map<String, Long> seen = new HashMap<>();
    private final long until;
    private final boolean detaches;
    private final Runnable done;

    private final boolean reads;

    private long certainAt;
    private long deadline;
    private final long begunAt;
    private int losses;
    private boolean over;

    /**
     * Starts a section.
     *
     * @param instance of the caller
     * @param asked the request
     * @param lasts until the release
     * @param random times of the checks
     * @param detaches whether it ends by a detach
     * @param done called after the release has returned
     */
    EpisodeSection(
            World world,
            Instance instance,
            Asked asked,
            LockHandle handle,
            Duration lasts,
            Random random,
            boolean detaches,
            Runnable done) {
        this.world = world;
        this.instance = instance;
        this.asked = asked;
        this.handle = handle;
        this.keys = handle.keys().size() > 1 ? handle.keys() : List.of(LabEvent.slotOf(handle.key(), handle.slot()));
        this.random = random;
        this.detaches = detaches;
        this.reads = isReading(handle);
        this.begunAt = world.time.nanos();
        this.until = begunAt + lasts.toNanos();
        this.done = done;
        this.deadline = world.time.nanos() + handle.remainingLease().toNanos();
        for (String key : keys) {
            world.granted(key);
            long token = tokenOf(key);
            world.promises.granted(instance.name, reads ? LabEvent.lockOf(key) : key);
            world.write(world.event(EventKind.ACQUIRED, instance.name)
                    .of(key, token)
                    .between(asked.at(), deadline)
                    .counting(asked.patience().toNanos())
                    .noting(keys.size() > 1 ? ONE_OF_SEVERAL : instance.witness.pathOf(key, token)));
        }
        instance.sections.add(this);
        handle.onLost(this::lost);
        look();
        if (!reads) {
            keys.forEach(key -> seen.put(key, world.resource.open(key, tokenOf(key))));
        }
        lookAgain();
    }

    /** Whether it is one of many that read. */
    static boolean isReading(LockHandle handle) {
        return handle.keys().size() == 1 && Slots.OF_READERS.contains(handle.slot());
    }

    /** The request of a caller. */
    record Asked(long at, Duration patience, Duration minimum, Duration longest) {}

    private void lookAgain() {
        long now = world.time.nanos();
        if (now >= until) {
            end();
        } else {
            long pause = Math.min(until - now, 1 + random.nextInt((int) STEP.toNanos()));
            instance.time(Duration.ofNanos(pause), () -> {
                look();
                lookAgain();
            });
        }
    }

    private void look() {
        long left = handle.remainingLease().toNanos();
        if (left > 0) {
            deadline = Math.max(deadline, world.time.nanos() + left);
        }
        if (handle.isHeld()) {
            certainAt = world.time.nanos();
            if (certainAt - begunAt > asked.longest().toNanos()) {
                world.anomaly("I6", instance.name, keys.get(0), "held for longer than the maximum hold");
            }
            world.instances.forEach(other -> other.sections.forEach(this::compare));
            keys.stream()
                    .filter(key -> world.tickets.have(key) && !world.isRevoked(key, tokenOf(key)))
                    .forEach(key -> world.anomaly(
                            "I1", instance.name, key, "is certain of a lock that is a ticket's: " + this));
            keys.stream()
                    .filter(key -> instance.witness.isRevoked(key, tokenOf(key)))
                    .forEach(key -> world.anomaly(
                            "I6", instance.name, key, "is certain of a lock although it received the revocation"));
        }
    }

    /** A paused process cannot check, and so relies on nothing. */
    private void compare(EpisodeSection other) {
        if (other != this && !other.over && other.instance.process.isRunning()) {
            for (String key : keys) {
                String lock = LabEvent.lockOf(key);
                boolean excludes = other.keys.contains(key) ? !reads : reads && other.keys.contains(lock);
                if (excludes
                        && !world.isRevoked(
                                reads ? lock : key,
                                reads ? other.tokenOf(lock) : Math.min(tokenOf(key), other.tokenOf(key)))
                        && other.handle.isHeld()
                        && handle.isHeld()) {
                    world.anomaly("I1", instance.name, key, "both " + this + " and " + other + " are certain of it");
                }
            }
        }
    }

    private long tokenOf(String key) {
        return handle.fencingToken(LabEvent.lockOf(key));
    }

    /** Whether it concerns the lock, or a slot of it. */
    boolean isOf(String key) {
        return keys.contains(key);
    }

    /** Whether it still holds the lock with a fencing token that is not greater. */
    boolean holds(String key, long newest) {
        return isOf(key) && !over && handle.isHeld() && tokenOf(key) <= newest;
    }

    private void lost() {
        losses++;
        keys.forEach(key -> world.expired(reads ? LabEvent.lockOf(key) : key));
        if (!over) {
            noteLoss();
        }
        if (losses > 1) {
            world.anomaly("I6", instance.name, keys.get(0), "the loss was signalled twice");
        }
        if (handle.isHeld()) {
            world.anomaly("I6", instance.name, keys.get(0), "the loss was undone");
        }
        instance.time(UNTIL_REPORTED, () -> {
            if (!instance.witness.hasReported(handle)) {
                world.anomaly("I6", instance.name, keys.get(0), "no listener received the loss");
            }
        });
    }

    /** The application stops its engine, and so takes the lock from itself. */
    void stopped() {
        if (!over && losses == 0) {
            noteLoss();
        }
        over = true;
    }

    private void noteLoss() {
        for (String key : keys) {
            world.write(world.event(EventKind.EXTENDED, instance.name)
                    .of(key, tokenOf(key))
                    .between(0, deadline));
            world.write(world.event(EventKind.LOST, instance.name).of(key, tokenOf(key)));
        }
    }

    private void end() {
        look();
        long now = world.time.nanos();
        long left = handle.remainingLease().toNanos();
        for (String key : keys) {
            long token = tokenOf(key);
            boolean written = !reads && world.resource.write(key, token, seen.getOrDefault(key, -1L));
            world.write(world.event(EventKind.RELEASING, instance.name)
                    .of(key, token)
                    .between(certainAt, Math.max(deadline, left > 0 ? now + left : 0))
                    .noting(written ? "written" : NOT_WRITTEN));
        }
        over = true;
        // At the end nobody attaches: each ticket would keep the last waiters for a lease.
        (detaches && !world.isEnding() ? detach(now) : handle.closeAsync()).whenComplete((outcome, failure) -> {
            for (String key : keys) {
                world.write(world.event(EventKind.RELEASED, instance.name)
                        .of(key, tokenOf(key))
                        .noting(nameOf(outcome, failure)));
                if (outcome == ReleaseOutcome.RELEASED && !reads) {
                    keep(key, now);
                }
            }
            instance.sections.remove(this);
            done.run();
        });
    }

    private CompletableFuture<ReleaseOutcome> detach(long sent) {
        return handle.detachAsync(world.setting.lease()).handle((ticket, failure) -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof LockLostException lost) {
                throw lost;
            }
            if (ticket == null) {
                if (!(cause instanceof LockBackendException)) {
                    world.anomaly("I5", instance.name, keys.get(0), "unexpected " + cause);
                }
                handle.closeAsync(); // in doubt, it is not detached
                return ReleaseOutcome.UNKNOWN;
            }
            world.tickets.detached(ticket, sent);
            return ReleaseOutcome.DETACHED;
        });
    }

    /** The store counts the minimum hold from the grant, which was no earlier than the attempt. */
    private void keep(String key, long released) {
        instance.witness
                .sentAt(key, tokenOf(key))
                .ifPresent(sent -> world.promises.kept(
                        key, released, sent + asked.minimum().toNanos()));
    }

    private String nameOf(@Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause == null && outcome != null) {
            return outcome.name();
        }
        if (!(cause instanceof LockLostException)) {
            world.anomaly("I5", instance.name, keys.get(0), "the release failed: " + cause);
        }
        return ReleaseOutcome.LOST.name();
    }

    /** Logs until when the application could rely on the lock: its process ends. */
    void noteEnd() {
        if (!over) {
            for (String key : keys) {
                long token = tokenOf(key);
                world.write(world.event(EventKind.EXTENDED, instance.name)
                        .of(key, token)
                        .between(0, deadline));
                if (certainAt != 0) {
                    world.write(world.event(EventKind.CERTAIN, instance.name)
                            .of(key, token)
                            .at(certainAt));
                }
            }
            over = true;
        }
    }

    @Override
    public String toString() {
        return instance.name + " with fencing token " + tokenOf(keys.get(0));
    }
}
