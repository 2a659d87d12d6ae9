package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.TakeoverStep.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Events of beats. */
final class BeatSteps implements CrashTakeoverModel.Steps {

    private final TakeoverRules rules;

    BeatSteps(TakeoverRules rules) {
        this.rules = rules;
    }

    @Override
    public void of(TakeoverState world, BiConsumer<TakeoverStep, TakeoverState> found) {
        List<PendingBeat> beats = world.holder().beats();
        boolean late = rules.has(TakeoverFault.LATE_EXECUTION);
        if (beats.size() < (rules.has(TakeoverFault.TWO_BEATS) ? 2 : 1)) {
            TakeoverState sent = world.with(world.holder().with(withOneMore(beats)));
            if (late) {
                found.accept(TakeoverStep.of(Kind.SEND_BEAT), sent);
            } else {
                executed(sent, beats.size(), found);
            }
        }
        for (int index = 0; index < beats.size(); index++) {
            if (late) {
                executed(world, index, found);
            }
            if (beats.get(index).isExecuted()) {
                Kind kind = index == 0 ? Kind.RECEIVE_BEAT : Kind.RECEIVE_LATER_BEAT;
                found.accept(TakeoverStep.of(kind), received(world, index));
            }
            found.accept(
                    TakeoverStep.of(Kind.LOSE_BEAT), world.with(world.holder().with(without(beats, index))));
        }
    }

    private void executed(TakeoverState world, int index, BiConsumer<TakeoverStep, TakeoverState> found) {
        for (int server = ServerPair.FIRST; server <= ServerPair.SECOND; server++) {
            TakeoverServer at = world.servers().at(server);
            if (world.servers().executes(server)) {
                List<PendingBeat> beats = new ArrayList<>(world.holder().beats());
                beats.set(index, beats.get(index).executed(server, at.trace()));
                TakeoverServer after = rules.keeps(Rule.BEAT_DELETES_MARK) ? at.with(Mark.NONE) : at;
                Kind kind = index == 0 ? Kind.EXECUTE_BEAT : Kind.EXECUTE_LATER_BEAT;
                found.accept(
                        TakeoverStep.at(server, kind),
                        world.with(server, after).with(world.holder().with(List.copyOf(beats))));
            }
        }
    }

    /** The answers to beats that were sent before are ignored from now on. */
    private TakeoverState received(TakeoverState world, int index) {
        Holder holder = world.holder();
        List<PendingBeat> beats = holder.beats();
        HeartbeatState answered = holder.heartbeat().answered(beats.get(index), rules);
        return world.with(
                holder.with(List.copyOf(beats.subList(index + 1, beats.size()))).with(answered));
    }

    private static List<PendingBeat> withOneMore(List<PendingBeat> beats) {
        List<PendingBeat> more = new ArrayList<>(beats);
        more.add(PendingBeat.SENT);
        return List.copyOf(more);
    }

    private static List<PendingBeat> without(List<PendingBeat> beats, int index) {
        List<PendingBeat> left = new ArrayList<>(beats);
        left.remove(index);
        return List.copyOf(left);
    }
}
