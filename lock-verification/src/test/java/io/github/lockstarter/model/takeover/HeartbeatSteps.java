package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.Beat.Asked;
import io.github.lockstarter.model.takeover.Mailbox.Phase;
import io.github.lockstarter.model.takeover.Step.Kind;
import java.util.function.BiConsumer;

/** What happens to heartbeats. */
final class HeartbeatSteps implements CrashTakeOverModel.Steps {

    private final Rules rules;

    HeartbeatSteps(Rules rules) {
        this.rules = rules;
    }

    @Override
    public void of(World world, BiConsumer<Step, World> found) {
        Beat beat = world.detection().beat();
        if (beat.isUnderWay()) {
            executed(world, found);
            received(world, found);
        } else if (maySend(world.detection().mailbox())) {
            found.accept(Step.of(Kind.SEND_BEAT), world.with(world.detection().with(Beat.SENT)));
        }
    }

    private boolean maySend(Mailbox mailbox) {
        return !rules.keeps(Rule.BEAT_COMPARES_CONNECTION) || mailbox.phase() == Phase.ACKNOWLEDGED;
    }

    private void executed(World world, BiConsumer<Step, World> found) {
        Detection detection = world.detection();
        if (detection.beat().asked() == Asked.NOT_YET) {
            boolean there = rules.keeps(Rule.BEAT_ASKS_COMMAND_SERVER);
            int server = there ? detection.commands() : detection.mailbox().server();
            boolean heard = rules.keeps(Rule.BEAT_ASKS_FOR_ITS_CONNECTION)
                    ? detection.mailbox().isHeardAt(server)
                    : detection.isHeardAt(server);
            Beat asked = detection.beat().asked(heard);
            found.accept(Step.at(server, Kind.EXECUTE_NUMSUB), world.with(detection.with(asked)));
        }
    }

    private void received(World world, BiConsumer<Step, World> found) {
        Detection detection = world.detection();
        Beat beat = detection.beat();
        World over = world.with(detection.with(Beat.NONE));
        if (beat.asked() != Asked.NOT_YET) {
            boolean good = beat.asked() == Asked.HEARD;
            found.accept(Step.of(Kind.RECEIVE_BEAT), good ? good(over, beat) : ended(over, Rule.UNHEARD_ENDS_EPOCH));
        }
        found.accept(Step.of(Kind.FAIL_BEAT), ended(over, Rule.FAILURE_ENDS_EPOCH));
    }

    private World ended(World world, Rule rule) {
        return rules.keeps(rule) ? world.withNewEpoch(Epoch.NONE) : world;
    }

    private World good(World world, Beat beat) {
        Epoch now = world.detection().epoch();
        int age = rules.keeps(Rule.BEAT_COUNTS_FROM_SENDING) ? beat.age() : 0;
        if (now.exists() && now.sameConnection()) {
            return world.with(world.detection().with(Epoch.since(Math.min(age, now.beat()))));
        }
        boolean lapsed = age >= rules.takeOver() && rules.keeps(Rule.LAPSE_ENDS_EPOCH);
        return world.withNewEpoch(lapsed ? Epoch.NONE : Epoch.since(age));
    }
}
