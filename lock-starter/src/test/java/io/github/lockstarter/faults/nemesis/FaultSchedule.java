package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Which faults happen one after the other, drawn from a seed: the same seed and faults give the same schedule. Each fault comes
 * once before any comes again. Endless.
 */
public final class FaultSchedule {

    private static final int SHORTEST_PAUSE_MILLIS = 200;
    private static final int LONGEST_PAUSE_MILLIS = 2000;

    private final List<Fault> faults;
    private final SplittableRandom random;
    private final List<Fault> left = new ArrayList<>();

    /**
     * A schedule of one lane.
     *
     * @param faults to draw from; those of other lanes are left out
     * @param lane whose
     * @param seed of all lots
     */
    public FaultSchedule(List<Fault> faults, Lane lane, long seed) {
        this.faults = faults.stream().filter(fault -> fault.lane() == lane).toList();
        this.random = new SplittableRandom(seed ^ lane.name().hashCode());
    }

    /**
     * Whether there is any fault in this lane.
     *
     * @return true if {@link #next} may not be called
     */
    public boolean isEmpty() {
        return faults.isEmpty();
    }

    /**
     * Draws the next fault.
     *
     * @return what happens when
     */
    public PlannedFault next() {
        if (left.isEmpty()) {
            left.addAll(faults);
        }
        Fault fault = left.remove(random.nextInt(left.size()));
        Duration pause = between(Duration.ofMillis(SHORTEST_PAUSE_MILLIS), Duration.ofMillis(LONGEST_PAUSE_MILLIS));
        Duration duration = between(fault.terms().shortest(), fault.terms().longest());
        return new PlannedFault(fault, pause, duration, random.nextInt(Integer.MAX_VALUE));
    }

    private Duration between(Duration shortest, Duration longest) {
        return Duration.ofMillis(random.nextLong(shortest.toMillis(), longest.toMillis() + 1));
    }
}
