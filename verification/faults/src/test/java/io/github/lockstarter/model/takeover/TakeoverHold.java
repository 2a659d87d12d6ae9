package io.github.lockstarter.model.takeover;

import java.util.function.IntUnaryOperator;

/**
 * A hold of the holder, and the hold of a taker. A handover inside the instance changes nothing here: the next hold
 * has the same token, and so the same confirmation.
 *
 * @param left ticks until its deadline; 0 without a hold
 * @param confirmedIn period of the last confirming grant, read before sending; otherwise {@link
 *     HeartbeatState#NO_PERIOD}
 * @param hadTaker whether a taker has had the lock since the holder's grant, which the holder cannot see
 * @param request the command under way
 * @param takerLeft ticks until the deadline of the taker's hold on any server
 */
record TakeoverHold(int left, int confirmedIn, boolean hadTaker, PendingCommand request, int takerLeft) {

    boolean exists() {
        return left > 0;
    }

    boolean hasToken() {
        return exists() || request.isUnderWay();
    }

    TakeoverHold with(PendingCommand other) {
        return new TakeoverHold(left, confirmedIn, hadTaker, other, takerLeft);
    }

    TakeoverHold ended() {
        return new TakeoverHold(0, 0, false, PendingCommand.NONE, takerLeft);
    }

    /** The server has granted a free lock; earlier grants of the taker do not matter. */
    TakeoverHold begun() {
        return new TakeoverHold(left, confirmedIn, false, request, takerLeft);
    }

    TakeoverHold taken(int ticks) {
        return new TakeoverHold(left, confirmedIn, hasToken(), request, ticks);
    }

    TakeoverHold withTaker(int ticks) {
        return new TakeoverHold(left, confirmedIn, hadTaker, request, ticks);
    }

    boolean isVoid(HeartbeatState heartbeat) {
        return exists() && confirmedIn < heartbeat.voidBefore();
    }

    boolean isCertain(HeartbeatState heartbeat, TakeoverRules rules) {
        return exists() && !isVoid(heartbeat) && confirmedIn == heartbeat.period() && heartbeat.isCertain(rules);
    }

    /** Takes the answer to the request, which was granted. */
    TakeoverHold confirmed(HeartbeatState heartbeat, TakeoverRules rules) {
        int read = rules.keeps(Rule.PERIOD_READ_BEFORE_SENDING) ? request.period() : heartbeat.period();
        boolean sameHistory = request.answerer() == request.history();
        boolean renewed = sameHistory && read == heartbeat.period();
        boolean prolongs = renewed || !rules.keeps(Rule.LEASE_IS_OF_HISTORY);
        boolean confirms = exists()
                ? renewed || !rules.keeps(Rule.RENEWAL_IS_OF_HISTORY)
                : sameHistory || !rules.keeps(Rule.GRANT_IS_OF_HISTORY);
        return new TakeoverHold(
                !exists() || (prolongs && !rules.has(TakeoverFault.RENEWAL_OFF))
                        ? Math.max(left, rules.lease() - request.age())
                        : left,
                confirms ? Math.max(confirmedIn, read) : confirmedIn,
                hadTaker,
                PendingCommand.NONE,
                takerLeft);
    }

    /** The periods that matter to it, as bits. */
    int periods() {
        return (exists() ? 1 << confirmedIn : 0) | (request.isUnderWay() ? 1 << request.period() : 0);
    }

    TakeoverHold withPeriods(IntUnaryOperator low) {
        return new TakeoverHold(left, low.applyAsInt(confirmedIn), hadTaker, request.withPeriod(low), takerLeft);
    }

    TakeoverHold tick(TakeoverRules rules) {
        int taker = Math.max(takerLeft - 1, 0);
        return left == 1
                ? ended().withTaker(taker)
                : new TakeoverHold(Math.max(left - 1, 0), confirmedIn, hadTaker, request.tick(rules), taker);
    }
}
