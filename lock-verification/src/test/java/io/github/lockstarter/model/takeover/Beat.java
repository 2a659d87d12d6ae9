package io.github.lockstarter.model.takeover;

/**
 * The heartbeat under way, if one is.
 *
 * @param age ticks since it was sent, T at most; -1 if none is under way
 * @param asked what NUMSUB has found
 */
record Beat(int age, Asked asked) {

    static final Beat NONE = new Beat(-1, Asked.NOT_YET);
    static final Beat SENT = new Beat(0, Asked.NOT_YET);

    enum Asked {
        NOT_YET,
        HEARD,
        UNHEARD
    }

    boolean isUnderWay() {
        return age >= 0;
    }

    /** The client sends it again on the next connection. */
    Beat unanswered() {
        return isUnderWay() ? new Beat(age, Asked.NOT_YET) : this;
    }

    Beat asked(boolean heard) {
        return new Beat(age, heard ? Asked.HEARD : Asked.UNHEARD);
    }

    Beat tick(int most) {
        return isUnderWay() ? new Beat(Math.min(age + 1, most), asked) : this;
    }
}
