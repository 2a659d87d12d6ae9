package io.github.lockstarter.model.takeover;

/**
 * The present epoch, if there is one.
 *
 * @param beat ticks since its last good heartbeat was sent, T at most; -1 if there is no epoch
 * @param sameConnection whether the holder still has the connection with which it began
 */
record Epoch(int beat, boolean sameConnection) {

    static final Epoch NONE = new Epoch(-1, false);

    static Epoch since(int beat) {
        return new Epoch(beat, true);
    }

    boolean exists() {
        return beat >= 0;
    }

    Epoch onOtherConnection() {
        return exists() ? new Epoch(beat, false) : this;
    }

    Epoch tick(int most) {
        return exists() ? new Epoch(Math.min(beat + 1, most), sameConnection) : this;
    }
}
