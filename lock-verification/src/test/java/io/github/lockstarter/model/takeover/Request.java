package io.github.lockstarter.model.takeover;

/**
 * The command of the holder that it awaits, if there is one.
 *
 * @param phase where it is
 * @param age ticks since it was sent
 * @param inEpoch whether it was sent in the present epoch
 */
record Request(Phase phase, int age, boolean inEpoch) {

    static final Request NONE = new Request(Phase.NONE, 0, false);

    enum Phase {
        NONE,
        ACQUIRING,
        RENEWING,

        /** It was granted, and the answer is on its way. */
        GRANTED,

        /** As {@code GRANTED}, but it confirms only a hold that is certain. */
        GRANTED_TO_CERTAIN,

        /** As {@code GRANTED}, but it gives time alone. */
        EXTENDED,
        REFUSED
    }

    boolean isUnderWay() {
        return phase != Phase.NONE;
    }

    boolean isAsking() {
        return phase == Phase.ACQUIRING || phase == Phase.RENEWING;
    }

    Request in(Phase next) {
        return new Request(next, age, inEpoch);
    }

    Request inNoEpoch() {
        return new Request(phase, age, false);
    }

    Request tick(int lease) {
        return !isUnderWay() || age + 1 >= lease ? NONE : new Request(phase, age + 1, inEpoch);
    }
}
