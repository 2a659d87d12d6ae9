package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockListener;
import java.util.List;
import java.util.stream.Stream;

/** Everybody who listens to the engine: log and diagnostics, and the listener beans in their order, isolated where they may block. */
final class LockListeners implements AutoCloseable {

    private final List<LockListener> all;

    LockListeners(Stream<LockListener> ours, Stream<LockListener> beans) {
        this.all = Stream.concat(ours, beans.map(LockListeners::isolated)).toList();
    }

    private static LockListener isolated(LockListener listener) {
        return listener.returnsAtOnce() ? listener : new IsolatedListener(listener);
    }

    List<LockListener> all() {
        return all;
    }

    /** After the engine, so that they hear how it ends. */
    @Override
    public void close() {
        for (LockListener listener : all) {
            if (listener instanceof IsolatedListener isolated) {
                isolated.close();
            } else if (listener instanceof SlowHolds slow) {
                slow.close();
            }
        }
    }
}
