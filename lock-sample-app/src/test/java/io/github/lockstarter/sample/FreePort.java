package io.github.lockstarter.sample;

import io.github.lockstarter.sample.process.Loopback;

/** A port of the loopback interface on which nothing listens. */
public final class FreePort {

    private FreePort() {}

    /** Finds one. */
    public static int find() {
        return Loopback.freePort();
    }

    /** Whether nothing listens there now. */
    public static boolean isFree(int port) {
        return !Loopback.isListening(port);
    }
}
