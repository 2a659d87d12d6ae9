package io.github.lockstarter.model.takeover;

import java.util.function.IntUnaryOperator;

/**
 * The command for a lock that the holder awaits, if any: an acquire without a hold, otherwise a renewal.
 *
 * @param age ticks since it was sent; -1 if there is none
 * @param period read before it was sent
 * @param history of that period
 * @param answerer server that granted it last; {@link Servers#NEVER} if none
 */
record Request(int age, int period, int history, int answerer) {

    static final Request NONE = new Request(-1, Heartbeat.NO_PERIOD, Servers.NEVER, Servers.NEVER);

    static Request sent(Heartbeat heartbeat) {
        return new Request(0, heartbeat.period(), heartbeat.history(), Servers.NEVER);
    }

    boolean isUnderWay() {
        return age >= 0;
    }

    boolean isGranted() {
        return answerer != Servers.NEVER;
    }

    Request grantedBy(int server) {
        return new Request(age, period, history, server);
    }

    Request withPeriod(IntUnaryOperator low) {
        return isUnderWay() ? new Request(age, low.applyAsInt(period), history, answerer) : this;
    }

    Request tick(Rules rules) {
        return !isUnderWay() || age + 1 >= rules.lease() ? NONE : new Request(age + 1, period, history, answerer);
    }
}
