package io.github.lockstarter.model.takeover;

import java.util.function.IntUnaryOperator;

/**
 * The command for a lock that the holder awaits, if any: an acquire without a hold, otherwise a renewal.
 *
 * @param age ticks since it was sent; -1 if there is none
 * @param period read before it was sent
 * @param history of that period
 * @param answerer server that granted it last; {@link ServerPair#NEVER} if none
 */
record PendingCommand(int age, int period, int history, int answerer) {

    static final PendingCommand NONE =
            new PendingCommand(-1, HeartbeatState.NO_PERIOD, ServerPair.NEVER, ServerPair.NEVER);

    static PendingCommand sent(HeartbeatState heartbeat) {
        return new PendingCommand(0, heartbeat.period(), heartbeat.history(), ServerPair.NEVER);
    }

    boolean isUnderWay() {
        return age >= 0;
    }

    boolean isGranted() {
        return answerer != ServerPair.NEVER;
    }

    PendingCommand grantedBy(int server) {
        return new PendingCommand(age, period, history, server);
    }

    PendingCommand withPeriod(IntUnaryOperator low) {
        return isUnderWay() ? new PendingCommand(age, low.applyAsInt(period), history, answerer) : this;
    }

    PendingCommand tick(TakeoverRules rules) {
        return !isUnderWay() || age + 1 >= rules.lease()
                ? NONE
                : new PendingCommand(age + 1, period, history, answerer);
    }
}
