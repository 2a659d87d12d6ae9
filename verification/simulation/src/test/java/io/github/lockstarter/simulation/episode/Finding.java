package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.kit.check.Violation;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.simulation.redis.LuaInterpreter;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An episode that violates an invariant, in readable form.
 *
 * @param violation the first one
 * @param events of the lock until then
 */
record Finding(Plan plan, Violation violation, List<LabEvent> events) {

    private static final int MOST_RUNS = 400;
    private static final int MOST_EVENTS = 60;

    /** The first violation of an episode that has one. */
    static Finding of(Episode.Outcome outcome) {
        Violation first = outcome.violations().get(0);
        List<LabEvent> events = outcome.events().stream()
                .filter(event -> event.at() <= first.at())
                .filter(event -> event.key().isEmpty()
                        || event.key().equals(first.key())
                        || event.worker().equals("nemesis"))
                .toList();
        return new Finding(
                outcome.plan(), first, events.subList(Math.max(0, events.size() - MOST_EVENTS), events.size()));
    }

    /** The same violation in the shortest plan that still has one of its invariant. */
    Finding shortest(LuaInterpreter lua) {
        Shrinker shrinker = new Shrinker(
                candidate -> Episode.run(candidate, lua).violations().stream()
                        .anyMatch(found -> found.invariant().equals(violation.invariant())),
                MOST_RUNS);
        Episode.Outcome shortest = Episode.run(shrinker.shortest(plan), lua);
        List<Violation> same = shortest.violations().stream()
                .filter(found -> found.invariant().equals(violation.invariant()))
                .toList();
        return of(
                new Episode.Outcome(shortest.plan(), shortest.events(), shortest.faults(), shortest.attached(), same));
    }

    @Override
    public String toString() {
        return plan + "\n" + violation.invariant() + ", lock " + violation.key() + ": " + violation.description() + "\n"
                + events.stream().map(this::line).collect(Collectors.joining("\n"));
    }

    private String line(LabEvent event) {
        StringBuilder line = new StringBuilder(String.format(
                "%10.3f ms  %-9s %-13s", (event.at() - Episode.BEGIN) / 1e6, event.worker(), event.kind()));
        if (event.token() != 0) {
            line.append(" token ").append(event.token());
        }
        if (event.until() > Episode.BEGIN) {
            line.append(String.format(" until %.3f ms", (event.until() - Episode.BEGIN) / 1e6));
        }
        return line.append(' ').append(event.note()).toString().stripTrailing();
    }
}
