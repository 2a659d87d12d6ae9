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
 * <p>Immutable.
 *
 * @param size how many to ask for
 * @param least the smallest block
 * @param most the largest block
 */
public record FencingBlock(int size, int least, int most) {

    /** As many as are handed over at most once another instance is known to wait. */
    public static final int LEAST = EngineSettings.HandOver.MOST;

    /** For hand-overs, before the first one. */
    public static final FencingBlock FOR_HAND_OVERS =
            new FencingBlock(LEAST, LEAST, AcquireCommand.MOST_FENCING_TOKENS);

    /** For one hold a grant, where there are no hand-overs. */
    public static final FencingBlock SINGLE = new FencingBlock(1, 1, 1);

    /** The same, for a store of which one grant covers no more than that. */
    public FencingBlock upTo(int tokens) {
        return tokens >= most ? this : new FencingBlock(Math.min(size, tokens), Math.min(least, tokens), tokens);
    }

    /** The next one, after this one was used up soon. */
    FencingBlock grown() {
        return new FencingBlock(Math.min(2 * size, most), least, most);
    }

    /** The next one, after this one was not used up, or took its time. */
    FencingBlock shrunk() {
        return new FencingBlock(least, least, most);
    }
}
