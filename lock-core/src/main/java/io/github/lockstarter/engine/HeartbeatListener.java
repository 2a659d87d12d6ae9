package io.github.lockstarter.engine;

import io.github.lockstarter.spi.CrashDetection;
import java.util.List;

/** The engine, as heartbeats see it. Called on any thread. */
interface HeartbeatListener {

    /** Keys of locks at the store that this instance waits for, at least one of each owner as far as there is room. */
    List<String> waitedFor(CrashDetection detection);

    /** The owners of these locks are gone. Returns at once. */
    void abandoned(List<String> keys);

    /** A beat was sent, or answered. Returns at once. */
    void afterBeat();
}
