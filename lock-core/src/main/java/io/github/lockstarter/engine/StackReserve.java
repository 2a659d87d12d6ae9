package io.github.lockstarter.engine;

import org.jspecify.annotations.Nullable;

/**
 * Checks that the calling thread has stack for a step that must not stop half-way: a {@link StackOverflowError} inside
 * a change would leave a lock, a queue or the client's connection in a state that blocks all threads. Thrown from here,
 * nothing has changed.
 *
 * <p>The JVM does not report the remaining stack, so this uses {@value #FRAMES} frames of about 350 bytes, four times
 * as much while interpreted, as the step would be. The step, with the backend's client and the listeners, may use as
 * much. Costs about 0.1 µs: few large frames are faster than deep recursion.
 *
 * <p>{@link #calls} may lose updates, which is harmless.
 */
final class StackReserve {

    private static final int FRAMES = 40;
    private static final int SPREAD_FRAMES = 4;

    /** Mask: every 16th call uses the values, so that the compiler, which looks after about 100 calls, has seen it. */
    private static final int SPREAD_MASK = 15;

    private static final long[] VALUES = new long[40];

    private static int calls;

    private StackReserve() {}

    static void ensure() {
        boolean spread = (++calls & SPREAD_MASK) == 0;
        descend(FRAMES, spread ? VALUES : null);
    }

    /**
     * Frames are large only if the values that they read before the recursion are sometimes used after it: the compiler
     * removes unused ones.
     */
    private static long descend(int frames, long @Nullable [] values) {
        if (values == null) {
            return frames == 0 ? 0 : descend(frames - 1, null) + 1;
        }
        long v0 = values[0];
        long v1 = values[1];
        long v2 = values[2];
        long v3 = values[3];
        long v4 = values[4];
        long v5 = values[5];
        long v6 = values[6];
        long v7 = values[7];
        long v8 = values[8];
        long v9 = values[9];
        long v10 = values[10];
        long v11 = values[11];
        long v12 = values[12];
        long v13 = values[13];
        long v14 = values[14];
        long v15 = values[15];
        long v16 = values[16];
        long v17 = values[17];
        long v18 = values[18];
        long v19 = values[19];
        long v20 = values[20];
        long v21 = values[21];
        long v22 = values[22];
        long v23 = values[23];
        long v24 = values[24];
        long v25 = values[25];
        long v26 = values[26];
        long v27 = values[27];
        long v28 = values[28];
        long v29 = values[29];
        long v30 = values[30];
        long v31 = values[31];
        long v32 = values[32];
        long v33 = values[33];
        long v34 = values[34];
        long v35 = values[35];
        long v36 = values[36];
        long v37 = values[37];
        long v38 = values[38];
        long v39 = values[39];
        long below = descend(frames - 1, frames > FRAMES - SPREAD_FRAMES ? values : null);
        return below + v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9 + v10 + v11 + v12 + v13 + v14 + v15 + v16 + v17
                + v18 + v19 + v20 + v21 + v22 + v23 + v24 + v25 + v26 + v27 + v28 + v29 + v30 + v31 + v32 + v33 + v34
                + v35 + v36 + v37 + v38 + v39;
    }
}
