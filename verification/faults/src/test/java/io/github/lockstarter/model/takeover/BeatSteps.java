package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.Step.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Events of beats. */
final class BeatSteps implements CrashTakeoverModel.Steps {

    private final Rules rules;

    BeatSteps(Rules rules) {
        this.rules = rules;
    }

    @Override
    public void of(World world, BiConsumer<Step, World> found) {
        List<Beat> beats = world.holder().beats();
        boolean late = rules.has(Fault.LATE_EXECUTION);
        if (beats.size() < (rules.has(Fault.TWO_BEATS) ? 2 : 1)) {
            World sent = world.with(world.holder().with(withOneMore(beats)));
            if (late) {
                found.accept(Step.of(Kind.SEND_BEAT), sent);
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
                found.accept(Step.of(kind), received(world, index));
            }
            found.accept(Step.of(Kind.LOSE_BEAT), world.with(world.holder().with(without(beats, index))));
        }
    }

    private void executed(World world, int index, BiConsumer<Step, World> found) {
        for (int server = Servers.FIRST; server <= Servers.SECOND; server++) {
            Server at = world.servers().at(server);
            if (world.servers().executes(server)) {
                List<Beat> beats = new ArrayList<>(world.holder().beats());
                beats.set(index, beats.get(index).executed(server, at.trace()));
                Server after = rules.keeps(Rule.BEAT_DELETES_MARK) ? at.with(Mark.NONE) : at;
                Kind kind = index == 0 ? Kind.EXECUTE_BEAT : Kind.EXECUTE_LATER_BEAT;
                found.accept(
                        Step.at(server, kind),
                        world.with(server, after).with(world.holder().with(List.copyOf(beats))));
            }
        }
    }

    /** The answers to beats that were sent before are ignored from now on. */
    private World received(World world, int index) {
        Holder holder = world.holder();
        List<Beat> beats = holder.beats();
        Heartbeat answered = holder.heartbeat().answered(beats.get(index), rules);
        return world.with(
                holder.with(List.copyOf(beats.subList(index + 1, beats.size()))).with(answered));
    }

    private static List<Beat> withOneMore(List<Beat> beats) {
        List<Beat> more = new ArrayList<>(beats);
        more.add(Beat.SENT);
        return List.copyOf(more);
    }

    private static List<Beat> without(List<Beat> beats, int index) {
        List<Beat> left = new ArrayList<>(beats);
        left.remove(index);
        return List.copyOf(left);
    }
}
