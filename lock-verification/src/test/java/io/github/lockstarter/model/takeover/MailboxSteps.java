package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.Detection.HalfOpen;
import io.github.lockstarter.model.takeover.Mailbox.Phase;
import io.github.lockstarter.model.takeover.Step.Kind;
import java.util.function.BiConsumer;

/** What happens to connections. */
final class MailboxSteps implements CrashTakeOverModel.Steps {

    private final Rules rules;

    MailboxSteps(Rules rules) {
        this.rules = rules;
    }

    @Override
    public void of(World world, BiConsumer<Step, World> found) {
        Detection detection = world.detection();
        BiConsumer<Step, Detection> leads = (step, next) -> found.accept(step, world.with(next));
        if (detection.mailbox().exists()) {
            used(detection, leads);
            ended(detection, leads);
        } else {
            opened(world.servers(), detection, leads);
        }
        halfOpen(Servers.FIRST, detection, leads);
        halfOpen(Servers.SECOND, detection, leads);
        commands(world.servers(), detection, leads);
    }

    private static void opened(Servers servers, Detection detection, BiConsumer<Step, Detection> found) {
        found.accept(Step.at(Servers.FIRST, Kind.CONNECT), detection.with(Mailbox.to(Servers.FIRST)));
        if (servers.isPromoted()) {
            found.accept(Step.at(Servers.SECOND, Kind.CONNECT), detection.with(Mailbox.to(Servers.SECOND)));
        }
    }

    private void used(Detection detection, BiConsumer<Step, Detection> found) {
        Mailbox mailbox = detection.mailbox();
        int server = mailbox.server();
        if (mailbox.phase() == Phase.SUBSCRIBING && mailbox.open()) {
            found.accept(Step.at(server, Kind.EXECUTE_SUBSCRIBE), detection.with(mailbox.in(Phase.SUBSCRIBED)));
        }
        if (mailbox.phase() == Phase.SUBSCRIBED) {
            Detection acknowledged = detection.with(mailbox.in(Phase.ACKNOWLEDGED));
            boolean numbersNow = !rules.keeps(Rule.NUMBER_ENDS_WITH_DISCONNECT);
            found.accept(Step.of(Kind.ACKNOWLEDGED), numbersNow ? acknowledged.withoutNumber() : acknowledged);
        }
        if (mailbox.open()) {
            found.accept(Step.at(server, Kind.CLOSE), detection.with(mailbox.closed()));
        }
    }

    private void ended(Detection detection, BiConsumer<Step, Detection> found) {
        Mailbox mailbox = detection.mailbox();
        if (!mailbox.open()) {
            found.accept(Step.of(Kind.NOTICE), disconnected(detection));
        } else if (rules.has(Fault.HALF_OPEN)) {
            int server = mailbox.server();
            found.accept(Step.of(Kind.ABANDON), disconnected(detection.with(server, abandoned(detection))));
        }
    }

    private static HalfOpen abandoned(Detection detection) {
        Mailbox mailbox = detection.mailbox();
        HalfOpen before = detection.halfOpen(mailbox.server());
        boolean subscribing = mailbox.phase() == Phase.SUBSCRIBING;
        return HalfOpen.of(before.isHeard() || !subscribing, before.isSubscribing() || subscribing);
    }

    private Detection disconnected(Detection detection) {
        Detection without = detection.with(Mailbox.NONE);
        if (!rules.keeps(Rule.BEAT_COMPARES_CONNECTION) || !rules.keeps(Rule.NUMBER_ENDS_WITH_DISCONNECT)) {
            return without.with(detection.beat().unanswered());
        }
        return without.withoutNumber();
    }

    private static void halfOpen(int server, Detection detection, BiConsumer<Step, Detection> found) {
        HalfOpen now = detection.halfOpen(server);
        if (now.isSubscribing()) {
            found.accept(Step.at(server, Kind.EXECUTE_OLD_SUBSCRIBE), detection.with(server, HalfOpen.HEARD));
        }
        if (now != HalfOpen.NONE) {
            HalfOpen left = now == HalfOpen.BOTH ? HalfOpen.SUBSCRIBING : HalfOpen.NONE;
            found.accept(Step.at(server, Kind.CLOSE_OLD), detection.with(server, left));
        }
    }

    private void commands(Servers servers, Detection detection, BiConsumer<Step, Detection> found) {
        int now = detection.commands();
        int other = now == Servers.FIRST ? Servers.SECOND : Servers.FIRST;
        if (servers.isPromoted() && (other == Servers.SECOND || rules.has(Fault.COMMANDS_GO_BACK))) {
            Detection moved = detection.withCommandsAt(other);
            boolean ends = rules.keeps(Rule.NUMBER_COVERS_COMMANDS);
            found.accept(Step.at(other, Kind.MOVE_COMMANDS), ends ? moved.withoutNumber() : moved);
        }
    }
}
