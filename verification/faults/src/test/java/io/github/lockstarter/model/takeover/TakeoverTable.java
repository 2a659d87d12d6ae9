package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.ExplorationResult;
import java.util.ArrayList;
import java.util.List;

/** A path to a violation in readable form: the actions of the holder, of Redis, and of takers. */
final class TakeoverTable {

    private final TakeoverRules rules;
    private final List<String> rows = new ArrayList<>();
    private int now;

    private TakeoverTable(TakeoverRules rules) {
        this.rules = rules;
    }

    static String of(ExplorationResult<TakeoverState, TakeoverStep> found, TakeoverRules rules) {
        TakeoverTable timeline = new TakeoverTable(rules);
        timeline.row("tick", "Holder", "Redis", "Takers");
        timeline.rows.add("|------|" + "-".repeat(54) + "|" + "-".repeat(54) + "|" + "-".repeat(64) + "|");
        found.counterexample().forEach(timeline::add);
        return String.join(System.lineSeparator(), timeline.rows);
    }

    private void add(ExplorationResult.Move<TakeoverState, TakeoverStep> move) {
        if (move.step().kind() == TakeoverStep.Kind.TICK) {
            now++;
        }
        String holder = textOf(move, TakeoverStep.Actor.HOLDER) + certainty(move);
        String server = textOf(move, TakeoverStep.Actor.SERVER);
        String taker = textOf(move, TakeoverStep.Actor.TAKER);
        if (!(holder + server + taker).isEmpty()) {
            row(String.valueOf(now), holder, server, taker);
        }
    }

    private void row(String tick, String holder, String server, String taker) {
        rows.add(String.format("| %4s | %-52s | %-52s | %-62s |", tick, holder, server, taker));
    }

    private String textOf(ExplorationResult.Move<TakeoverState, TakeoverStep> move, TakeoverStep.Actor actor) {
        TakeoverStep step = move.step();
        boolean promoted = move.before().servers().isPromoted();
        boolean restarts = rules.haveRestart();
        String place = !promoted || restarts
                ? "the server"
                : step.server() == ServerPair.FIRST ? "the old master" : "the new master";
        return step.kind().actor() == actor ? step.text(place, rules.locks()) : "";
    }

    private String certainty(ExplorationResult.Move<TakeoverState, TakeoverStep> move) {
        StringBuilder text = new StringBuilder();
        for (int lock = 0; lock < rules.locks(); lock++) {
            boolean before = move.before().holder().isCertain(lock, rules);
            boolean after = move.after().holder().isCertain(lock, rules);
            if (before != after) {
                String which = rules.locks() == 1 ? "" : lock == 0 ? "A " : "B ";
                boolean exists = move.after().holder().hold(lock).exists();
                text.append(" (").append(which);
                text.append(after ? "certain again)" : exists ? "in doubt)" : "lost or in doubt for good)");
            }
        }
        return text.toString();
    }
}
