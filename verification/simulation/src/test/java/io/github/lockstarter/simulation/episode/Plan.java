package io.github.lockstarter.simulation.episode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * The complete plan of an episode. Two runs of one plan are the same; a plan with fewer parts is valid too.
 *
 * @param seed of every choice that the plan does not contain, such as the delay of a packet
 * @param setting servers, instances and settings
 * @param callers of locks
 * @param faults by time
 * @param tickets whether callers detach locks
 */
public record Plan(
        long seed, Setting setting, List<PlannedCaller> callers, List<PlannedFault> faults, boolean tickets) {

    private static final long CALM = 7;
    private static final int MOST_CALLERS = 4;
    private static final int MOST_PERMITS = 3;

    /** A waiter that is not signalled sleeps for seconds. */
    private static final Duration SIGNALS_ONLY = Duration.ofMinutes(1);

    private static final Duration LONG = Duration.ofSeconds(3);

    /** How many times as long as the longest retry delay a waiter sleeps while the beats look at the owner. */
    private static final int LOOKS = 6;

    /**
     * Servers, instances and their settings.
     *
     * @param replicas initial number of replicas of the master
     * @param instances number of concurrent instances
     * @param keys number of shared locks
     * @param permits maximum that callers request
     * @param readers whether some callers read
     * @param lease of all locks, and the longest one
     * @param takeover time after the end of a holder's connection; zero if only the lease counts
     * @param maxRetryDelay between two attempts of a waiter without signals
     * @param commandTimeout after which the outcome is unknown
     * @param deposedWrites how long a master continues to write after another one is promoted, at most
     * @param faulty period in which faults start
     */
    public record Setting(
            int replicas,
            int instances,
            int keys,
            int permits,
            boolean readers,
            Duration lease,
            Duration takeover,
            Duration maxRetryDelay,
            Duration commandTimeout,
            Duration deposedWrites,
            Duration faulty) {

        static Setting draw(SplittableRandom random, int permits, boolean readers) {
            int replicas = random.nextInt(3);
            boolean lasting = random.nextInt(4) == 0;
            Duration lease = Duration.ofMillis(lasting ? random.nextInt(5_000, 10_000) : random.nextInt(600, 1_500));
            boolean takenOver = random.nextInt(4) > 0;
            return new Setting(
                    replicas,
                    random.nextInt(2, 4),
                    random.nextInt(1, 4),
                    permits,
                    readers,
                    lease,
                    takenOver
                            ? Duration.ofMillis(random.nextInt(200, Math.min(1_000, (int) lease.toMillis() / 2)))
                            : Duration.ZERO,
                    lasting && random.nextBoolean() ? SIGNALS_ONLY : Duration.ofMillis(random.nextInt(50, 600)),
                    Duration.ofMillis(random.nextInt(120, 400)),
                    replicas == 0 || random.nextBoolean() ? Duration.ZERO : lease.dividedBy(random.nextInt(3, 8)),
                    Duration.ofMillis(random.nextInt(1_000, 4_000)));
        }

        /** How long a server that may have lost locks grants no free ones. */
        Duration grace() {
            return lease.plus(deposedWrites);
        }

        /** Whether a lock that is left behind stays for a time in which faults are over. */
        boolean isLong() {
            return lease.compareTo(LONG) >= 0;
        }

        /** Whether a waiter that has no place in a queue may sleep for long. */
        boolean isSignalsOnly() {
            return maxRetryDelay.equals(SIGNALS_ONLY);
        }

        /** Time until a waiter without signals attempts again: the end of the lease that it knows. */
        Duration untilNextLook() {
            Duration looks = maxRetryDelay.multipliedBy(LOOKS);
            return looks.compareTo(lease) < 0 ? looks : lease;
        }

        /** After how long nothing is left of faults: a history is old, leases are over, waiters have looked. */
        Duration aftermath() {
            return grace().plus(lease.multipliedBy(2)).plus(untilNextLook()).plusSeconds(1);
        }
    }

    /**
     * A thread of an application, which acquires locks repeatedly.
     *
     * @param number within its instance
     * @param sections maximum number of acquisitions
     */
    public record PlannedCaller(int instance, int number, int sections) {}

    /**
     * A planned fault.
     *
     * @param lasts until it is healed
     * @param target chooses whom it affects
     */
    public record PlannedFault(FaultKind kind, Duration at, Duration lasts, int target) {

        @Override
        public String toString() {
            return kind + " at " + at.toMillis() + " ms for " + lasts.toMillis() + " ms (" + target + ")";
        }
    }

    /** The plan of a seed. */
    public static Plan of(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        // Drawn separately, so that everything else is the same for locks with one permit and with several.
        SplittableRandom ofPermits = new SplittableRandom(~seed);
        int permits = ofPermits.nextBoolean() ? 1 : ofPermits.nextInt(2, MOST_PERMITS + 1);
        Setting setting = Setting.draw(random, permits, permits == 1 && ofPermits.nextInt(3) == 0);
        List<PlannedCaller> callers = new ArrayList<>();
        for (int instance = 0; instance < setting.instances(); instance++) {
            int count = random.nextInt(1, MOST_CALLERS);
            for (int number = 0; number < count; number++) {
                callers.add(new PlannedCaller(instance, number, Integer.MAX_VALUE));
            }
        }
        return new Plan(seed, setting, callers, draw(random, setting), false);
    }

    private static List<PlannedFault> draw(SplittableRandom random, Setting setting) {
        if (random.nextLong(CALM) == 0) {
            return List.of();
        }
        List<FaultKind> possible = FaultKind.possible(setting);
        List<PlannedFault> faults = new ArrayList<>();
        int count = random.nextInt(1, 8);
        for (int i = 0; i < count; i++) {
            FaultKind kind = possible.get(random.nextInt(possible.size()));
            faults.add(new PlannedFault(
                    kind,
                    Duration.ofMillis(random.nextLong(setting.faulty().toMillis())),
                    Duration.ofMillis((long) (kind.longest(setting).toMillis() * random.nextDouble())),
                    random.nextInt(Integer.MAX_VALUE)));
        }
        faults.sort(Comparator.comparing(PlannedFault::at));
        return faults;
    }

    /** The same with detached locks. */
    public Plan withTickets() {
        return new Plan(seed, setting, callers, faults, true);
    }

    Plan withFaults(List<PlannedFault> fewer) {
        return new Plan(seed, setting, callers, fewer, tickets);
    }

    Plan withCallers(List<PlannedCaller> fewer) {
        return new Plan(seed, setting, fewer, faults, tickets);
    }

    @Override
    public String toString() {
        return "seed " + seed + "\n" + setting + "\ncallers "
                + callers.stream()
                        .map(caller -> "w" + caller.instance() + "/" + caller.number()
                                + (caller.sections() == Integer.MAX_VALUE ? "" : " x " + caller.sections()))
                        .collect(Collectors.joining(", "))
                + "\nfaults\n  "
                + faults.stream().map(PlannedFault::toString).collect(Collectors.joining("\n  "));
    }
}
