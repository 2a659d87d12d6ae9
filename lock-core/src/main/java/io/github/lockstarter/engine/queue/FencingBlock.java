package io.github.lockstarter.engine.queue;

import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;

/**
 * How many fencing tokens the waiters of one key ask for at once: the {@link #LEAST least}, and twice as many as before
 * after a block that was used up soon, since to ask costs as much as dozens of hand-overs.
 *
 * <p>Not always as many as there may be: a block bounds how often this instance hands the lock over when the notice
 * that another one waits is lost; and fencing tokens, which count from the server's time in microseconds, would run
 * ahead of it with unused blocks.
 *
 * <p>{@link #size} is guarded by the lock of the {@link KeyQueue}.
 */
public final class FencingBlock {

    /** As many as are handed over at most once another instance is known to wait. */
    public static final int LEAST = EngineSettings.HandOver.MOST;

    private final int least;
    private final int most;
    private int size;

    /** For hand-overs; {@link #single} where there are none. */
    public FencingBlock() {
        this(LEAST, AcquireCommand.MOST_FENCING_TOKENS);
    }

    private FencingBlock(int least, int most) {
        this.least = least;
        this.most = most;
        this.size = least;
    }

    /** For one hold a grant. */
    public static FencingBlock single() {
        return new FencingBlock(1, 1);
    }

    int size() {
        return size;
    }

    /** The block before was used up soon. */
    void grow() {
        size = Math.min(2 * size, most);
    }

    /** The block before was not used up, or it took its time. */
    void shrink() {
        size = least;
    }
}
