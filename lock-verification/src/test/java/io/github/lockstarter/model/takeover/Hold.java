package io.github.lockstarter.model.takeover;

/**
 * The hold of the holder.
 *
 * @param left ticks until its deadline; 0 if there is no hold
 * @param confirmation ticks since the command was sent that was granted last; T at most
 * @param inEpoch whether that command was sent in the present epoch
 * @param doubt what became of it
 * @param request the command under way
 */
record Hold(int left, int confirmation, boolean inEpoch, Doubt doubt, Request request) {

    /**
     * What is known, and what has happened.
     *
     * @param undecidable whether a young history has answered while the hold was in doubt
     * @param hadTaker whether the taker has had the lock since the holder was granted it, which the holder cannot see
     */
    record Doubt(boolean undecidable, boolean hadTaker) {

        static final Doubt NONE = new Doubt(false, false);
    }

    static final Hold NONE = new Hold(0, 0, false, Doubt.NONE, Request.NONE);

    boolean exists() {
        return left > 0;
    }

    Hold with(Request other) {
        return new Hold(left, confirmation, inEpoch, doubt, other);
    }

    Hold inNoEpoch() {
        return new Hold(left, confirmation, false, doubt, request.inNoEpoch());
    }

    /** The answer to the request is taken. */
    Hold confirmed(Rules rules) {
        int age = Math.min(request.age(), rules.takeOver());
        return new Hold(leftAfterAnswer(rules), age, request.inEpoch(), doubt, Request.NONE);
    }

    /** The answer to the request gives time, and no certainty. */
    Hold extended(Rules rules) {
        return new Hold(leftAfterAnswer(rules), confirmation, inEpoch, doubt, Request.NONE);
    }

    /** A young history has answered while the hold was in doubt. */
    Hold undecidable() {
        return with(new Doubt(true, doubt.hadTaker));
    }

    /** The taker was granted the lock. */
    Hold withTaker() {
        return exists() || request.isUnderWay() ? with(new Doubt(doubt.undecidable, true)) : this;
    }

    Hold with(Doubt other) {
        return new Hold(left, confirmation, inEpoch, other, request);
    }

    private int leftAfterAnswer(Rules rules) {
        boolean givesTime = !exists() || !rules.has(Fault.RENEWAL_OFF);
        return givesTime ? Math.max(left, rules.lease() - request.age()) : left;
    }

    Hold tick(Rules rules) {
        Request later = request.tick(rules.lease());
        if (left > 1) {
            return new Hold(left - 1, Math.min(confirmation + 1, rules.takeOver()), inEpoch, doubt, later);
        }
        return left == 1 ? NONE : NONE.with(doubt).with(later);
    }
}
