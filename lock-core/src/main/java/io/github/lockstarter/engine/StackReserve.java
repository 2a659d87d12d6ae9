package io.github.lockstarter.engine;

import org.jspecify.annotations.Nullable;

/**
 * Makes sure that the calling thread has stack left for a step that must not end half-way. A {@link StackOverflowError}
 * in the middle of a change leaves a lock, a queue or the client's connection in a state that stops every other thread;
 * where it is thrown from here, nothing has changed yet.
 *
 * <p>The JVM does not report how much stack is left, so this uses some up: {@value #FRAMES} frames of about 350 bytes
 * each, and of four times as much while the code is interpreted, as the step is then. The step may use that much, the
 * backend's client and listeners included. It takes about 0.1 µs: a frame is large for the sake of what is seldom done
 * in it, and deep recursions are slow.
 *
 * <p>{@link #calls} may lose updates, which is of no matter.
 */
final class StackReserve {

    private static final int FRAMES = 40;
    private static final int SPREAD_FRAMES = 4;

    /** Often enough to be seen before the compiler looks, which is after some 100 calls. */
    private static final int SELDOM = 15;

    private static final long[] VALUES = new long[40];

    private static int calls;

    private StackReserve() {}

    /** Throws a {@link StackOverflowError} where the stack is about to end; otherwise without effect. */
    static void ensure() {
        boolean isSpread = (++calls & SELDOM) == 0;
        descend(FRAMES, isSpread ? VALUES : null);
    }

    /** The compiler leaves out what is never done: now and then, some frames keep what they read before the call. */
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
