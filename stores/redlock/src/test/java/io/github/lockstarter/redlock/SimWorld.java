package io.github.lockstarter.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * Time, randomness and order of events. One thread runs one event after the other, so a seed determines the whole run.
 * Records all holds, and reports overlaps and fencing tokens that do not grow.
 */
final class SimWorld {

    private record Event(long at, long number, Runnable work) {}

    final Random random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
    private final List<SimHold> holds = new ArrayList<>();
    private long now = 1_000_000_000L;
    private long number;
    private long lastFencingToken;
    int grants;
    int overlaps;
    int notGrown;
    int errors;

    SimWorld(long seed) {
        random = new Random(seed);
    }

    long nanos() {
        return now;
    }

    void after(long nanos, Runnable work) {
        events.add(new Event(now + nanos, number++, work));
    }

    void every(Duration mean, Runnable work) {
        after(upTo(mean.toNanos() * 2), () -> {
            work.run();
            every(mean, work);
        });
    }

    void run(Duration time) {
        long end = now + time.toNanos();
        while (!events.isEmpty() && events.peek().at() <= end) {
            Event next = events.poll();
            now = next.at();
            next.work().run();
        }
        now = end;
    }

    /** From 1 to so many. */
    long upTo(long most) {
        return 1 + (long) (random.nextDouble() * most);
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** A client considers the lock acquired. */
    void granted(SimHold hold, long firstToken, long lastToken) {
        holds.removeIf(other -> !other.isValid(now));
        overlaps += holds.isEmpty() ? 0 : 1;
        holds.add(hold);
        grants++;
        notGrown += firstToken > lastFencingToken ? 0 : 1;
        lastFencingToken = Math.max(lastFencingToken, lastToken);
    }

    /** A client considers the lock renewed. */
    void renewed(SimHold hold) {
        overlaps += holds.stream().anyMatch(other -> other != hold && other.isValid(now)) ? 1 : 0;
    }

    @Override
    public String toString() {
        return grants + " grants, " + overlaps + " overlaps, " + notGrown + " tokens not grown, " + errors + " errors";
    }
}
