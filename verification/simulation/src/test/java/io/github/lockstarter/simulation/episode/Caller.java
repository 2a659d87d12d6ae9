package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.kit.event.EventKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A thread of an application: acquires a lock, works, releases it, and repeats after a pause. */
final class Caller {

    /** Such a waiter ends only with its lock. */
    private static final Duration PATIENT = Duration.ofHours(1);

    private static final Duration FOR_EVER = Duration.ofDays(1);

    /** For the timer, and a thread that begins late. */
    private static final Duration TOLERANCE = Duration.ofMillis(100);

    private static final Duration AFTER_AN_ERROR = Duration.ofMillis(20);

    /** What a caller does with a lock. */
    private enum Deed {
        HOLD,
        HOLD_LONG,
        TRY,
        CANCEL,
        ENTER_AGAIN,
        SEVERAL,
        KEEP,
        LIMIT,
        OVERSTAY;

        private static final Deed[] ALL = values();

        static Deed draw(Random random) {
            return random.nextInt(2) == 0 ? HOLD : ALL[random.nextInt(ALL.length)];
        }
    }

    private final World world;
    private final Instance instance;
    private final Random random;
    private int left;
    private @Nullable CompletableFuture<LockHandle> waiting;
    private List<String> wanted = List.of();
    private int limit = 1;
    private long waitsSince;
    private boolean holding;
    private boolean detaches;
    private boolean hasBegun;

    Caller(World world, Instance instance, Plan.PlannedCaller plan, Random random) {
        this.world = world;
        this.instance = instance;
        this.random = random;
        this.left = plan.sections();
    }

    void begin() {
        if (!hasBegun) {
            hasBegun = true;
            pause();
        }
    }

    private void pause() {
        int longest = random.nextInt(4) == 0 ? 200_000_000 : 5_000_000;
        // A long time in which all ends needs no crowd.
        int times = world.setting.isLong() && world.isHealed() ? 8 : 1;
        instance.time(Duration.ofNanos((long) times * random.nextInt(longest)), this::next);
    }

    private void next() {
        if (world.isEnding() || instance.isStopping() || left-- <= 0) {
            return;
        }
        detaches = world.plan.tickets() && random.nextInt(3) == 0;
        Deed deed = detaches ? Deed.HOLD : Deed.draw(random);
        Duration patience = patience(deed);
        LockRequest request = request(deed, patience);
        EpisodeSection.Asked asked = new EpisodeSection.Asked(
                world.time.nanos(),
                patience,
                request.terms().minHold().orElse(Duration.ZERO),
                request.terms()
                        .maxHold()
                        .map(max -> max.plus(world.setting.lease()).plus(TOLERANCE))
                        .orElse(FOR_EVER));
        String first = request.keys().get(0);
        Optional<FreeLock> vacancy = deed == Deed.TRY ? vacancy(first) : Optional.empty();
        CompletableFuture<LockHandle> future = instance.engine.acquireAsync(request);
        waiting = future;
        waitsSince = world.time.nanos();
        wanted = request.keys();
        if (deed == Deed.CANCEL) {
            instance.time(Duration.ofNanos(random.nextInt(60_000_000)), () -> future.cancel(false));
        }
        future.whenComplete((handle, failure) -> {
            waiting = null;
            if (handle != null) {
                hold(deed, asked, handle);
            } else {
                refused(asked, first, vacancy, failure);
            }
        });
    }

    private Duration patience(Deed deed) {
        if (deed == Deed.TRY) {
            return Duration.ZERO;
        }
        return random.nextInt(3) == 0 ? PATIENT : Duration.ofMillis(random.nextInt(1_500));
    }

    private LockRequest request(Deed deed, Duration patience) {
        LockRequest request = deed == Deed.SEVERAL
                ? LockRequest.ofAll(IntStream.range(0, world.setting.keys())
                        .mapToObj(i -> "k" + i)
                        .toList())
                : LockRequest.of("k" + random.nextInt(world.setting.keys()));
        boolean reads = !detaches
                && world.setting.readers()
                && deed != Deed.SEVERAL
                && deed != Deed.KEEP
                && random.nextInt(3) > 0;
        LockRequest waiting =
                request.maxWait(patience).permits(permits(deed)).mode(reads ? LockMode.READ : LockMode.WRITE);
        return switch (deed) {
            case KEEP -> waiting.minHold(Duration.ofMillis(1 + random.nextInt(100)));
            case LIMIT -> waiting.maxHold(world.setting.lease());
            case OVERSTAY ->
                waiting.withoutRenewal().lease(world.setting.lease().dividedBy(4));
            default -> waiting;
        };
    }

    /** Limits that differ, as while a limit is changed. */
    private int permits(Deed deed) {
        int most = world.setting.permits();
        limit = detaches || deed == Deed.SEVERAL || most == 1
                ? 1
                : random.nextInt(3) > 0 ? most : 1 + random.nextInt(most);
        return limit;
    }

    private void hold(Deed deed, EpisodeSection.Asked asked, LockHandle handle) {
        holding = true;
        Duration lasts =
                switch (deed) {
                    case HOLD_LONG -> longSection();
                    case LIMIT ->
                        world.setting.isLong()
                                ? longSection()
                                : world.setting.lease().multipliedBy(3);
                    case OVERSTAY -> world.setting.lease().dividedBy(2);
                    default -> Duration.ofNanos(random.nextInt(30_000_000));
                };
        if (deed == Deed.ENTER_AGAIN) {
            enterAgain(handle);
        }
        new EpisodeSection(world, instance, asked, handle, lasts, random, detaches, () -> {
            holding = false;
            pause();
        });
    }

    private Duration longSection() {
        Duration least = world.setting.isLong() ? world.setting.lease().dividedBy(2) : world.setting.lease();
        return least.plus(Duration.ofMillis(random.nextInt(1_000)));
    }

    private void enterAgain(LockHandle handle) {
        try {
            LockMode mode = EpisodeSection.isReading(handle) ? LockMode.READ : LockMode.WRITE;
            Optional<LockHandle> nested =
                    handle.reenter(LockRequest.of(handle.key()).mode(mode));
            nested.ifPresent(inner -> {
                if (inner.fencingToken() != handle.fencingToken()) {
                    world.anomaly("I2", instance.name, handle.key(), "a nested hold has another fencing token");
                }
                instance.time(Duration.ofNanos(random.nextInt(20_000_000)), inner::closeAsync);
            });
        } catch (LockLostException | LockBackendException e) {
            // Lost, or in doubt: the section finds that out too.
        }
    }

    /** Whether it may have the lock already, and waits for others. */
    boolean isOneOfSeveral(String key) {
        return wanted().size() > 1 && wanted().contains(key);
    }

    /** A lock that is free, and not held by its instance as far as it knows, as after a revocation. */
    private Optional<FreeLock> vacancy(String key) {
        boolean believed = instance.engine.heldLocks().find(key).isPresent()
                || instance.waiting().stream().anyMatch(caller -> caller.isOneOfSeveral(key));
        return believed ? Optional.empty() : FreeLock.of(world, key);
    }

    private void refused(
            EpisodeSection.Asked asked, String key, Optional<FreeLock> vacancy, @Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        String note;
        if (cause instanceof LockNotAcquiredException) {
            note = "CONTENDED";
            vacancy.filter(free -> free.isStill(world))
                    .ifPresent(free -> world.anomaly(
                            "I5", instance.name, key, "was refused though the lock was free since it asked"));
        } else if (cause instanceof CancellationException) {
            note = "INTERRUPTED";
        } else {
            note = "ERROR";
            if (!(cause instanceof LockException)) {
                world.anomaly("I5", instance.name, key, "unexpected " + cause);
            }
        }
        String refusedKey = cause instanceof LockException known ? known.key() : key;
        world.write(world.event(EventKind.REFUSED, instance.name)
                .of(refusedKey, 0)
                .between(asked.at(), 0)
                .counting(asked.patience().toNanos())
                .noting(note));
        if (note.equals("ERROR")) {
            instance.time(AFTER_AN_ERROR, this::pause);
        } else {
            pause();
        }
    }

    /** Whether it waits for a lock. */
    boolean isWaiting() {
        return waiting != null;
    }

    long waitsSince() {
        return waitsSince;
    }

    /** The keys it waits for. */
    List<String> wanted() {
        return wanted;
    }

    /** Whether it waits for any of so many slots of a lock that this one is of. */
    boolean wants(String key, int slot) {
        return wanted().equals(List.of(key)) && slot < limit;
    }

    boolean isBusy() {
        return waiting != null || holding;
    }

    /** Its process is killed. */
    void forget() {
        waiting = null;
        holding = false;
    }

    /** Its process ends in an orderly way: nothing may be left. */
    void reportStuck() {
        if (waiting != null) {
            world.anomaly("I5", instance.name, wanted.get(0), "still waits when its instance has stopped");
        }
    }
}
