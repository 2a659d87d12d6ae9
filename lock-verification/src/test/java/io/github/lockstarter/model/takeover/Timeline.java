package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.Exploration;
import java.util.ArrayList;
import java.util.List;

/** A way to a violation as people read it: what the holder does, what happens at Redis, what the taker does. */
final class Timeline {

    private final Rules rules;
    private final List<String> rows = new ArrayList<>();
    private int now;

    private Timeline(Rules rules) {
        this.rules = rules;
    }

    static String of(Exploration<World, Step> found, Rules rules) {
        Timeline timeline = new Timeline(rules);
        timeline.row("tick", "Holder", "Redis", "Taker");
        timeline.rows.add("|------|" + "-".repeat(54) + "|" + "-".repeat(54) + "|" + "-".repeat(42) + "|");
        found.counterexample().forEach(timeline::add);
        return String.join(System.lineSeparator(), timeline.rows);
    }

    private void add(Exploration.Move<World, Step> move) {
        Step step = move.step();
        if (step.kind() == Step.Kind.TICK) {
            now++;
        }
        String certainty = certainty(move);
        String holder = textOf(move, Step.Actor.HOLDER);
        String server = textOf(move, Step.Actor.SERVER) + found(move);
        String taker = textOf(move, Step.Actor.TAKER);
        if (!(certainty + holder + server + taker).isEmpty()) {
            row(String.valueOf(now), holder + certainty, server, taker);
        }
    }

    private void row(String tick, String holder, String server, String taker) {
        rows.add(String.format("| %4s | %-52s | %-52s | %-40s |", tick, holder, server, taker));
    }

    private static String textOf(Exploration.Move<World, Step> move, Step.Actor actor) {
        Step step = move.step();
        boolean promoted = move.before().servers().isPromoted();
        String place = !promoted ? "the server" : step.server() == Servers.FIRST ? "the old master" : "the new master";
        return step.kind().actor() == actor ? step.text(place) : "";
    }

    private static String found(Exploration.Move<World, Step> move) {
        return move.step().kind() != Step.Kind.EXECUTE_NUMSUB
                ? ""
                : move.after().detection().beat().asked() == Beat.Asked.HEARD ? ", finds 1" : ", finds 0";
    }

    private String certainty(Exploration.Move<World, Step> move) {
        boolean before = move.before().isCertain(rules);
        boolean after = move.after().isCertain(rules);
        if (before == after) {
            return "";
        }
        return after ? " (certain again)" : move.after().hold().exists() ? " (in doubt)" : " (holds no longer)";
    }
}
