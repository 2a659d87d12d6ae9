package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The order of faults, drawn from a seed: the same seed and faults give the same schedule. Each fault occurs once
 * before any is repeated. Endless.
 */
public final class FaultSchedule {

    private final List<Fault> faults;
    private final Pace pace;
    private final SplittableRandom random;
    private final List<Fault> left = new ArrayList<>();

    /** The time between two faults of a lane. */
    public record Pace(Duration shortestPause, Duration longestPause) {

        /** As many faults as can be, for a short run. */
        public static final Pace DENSE = new Pace(Duration.ofMillis(200), Duration.ofSeconds(2));

        /** Time to heal, and to get on. */
        public static final Pace SPARSE = new Pace(Duration.ofSeconds(2), Duration.ofSeconds(6));
    }

    /**
     * A schedule of one lane.
     *
     * @param faults to draw from; ignores those of other lanes
     * @param seed of all choices
     */
    public FaultSchedule(List<Fault> faults, Lane lane, Pace pace, long seed) {
        this.pace = pace;
        this.faults = faults.stream().filter(fault -> fault.lane() == lane).toList();
        this.random = new SplittableRandom(seed ^ lane.name().hashCode());
    }

    /** Whether this lane has no faults; do not call {@link #next} then. */
    public boolean isEmpty() {
        return faults.isEmpty();
    }

    /** Draws the next fault. */
    public PlannedFault next() {
        if (left.isEmpty()) {
            left.addAll(faults);
        }
        Fault fault = left.remove(random.nextInt(left.size()));
        Duration pause = between(pace.shortestPause(), pace.longestPause());
        Duration duration = between(fault.terms().shortest(), fault.terms().longest());
        return new PlannedFault(fault, pause, duration, random.nextInt(Integer.MAX_VALUE));
    }

    private Duration between(Duration shortest, Duration longest) {
        return Duration.ofMillis(random.nextLong(shortest.toMillis(), longest.toMillis() + 1));
    }
}
