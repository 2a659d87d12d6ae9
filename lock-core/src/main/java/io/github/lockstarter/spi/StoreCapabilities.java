package io.github.lockstarter.spi;

/**
 * Capabilities of a store beyond exclusion. The engine uses no others; the store's auto-configuration refuses at
 * startup a configuration that needs more.
 *
 * @param fencingTokens maximum number of fencing tokens per grant; 1 disables handovers
 * @param minHold whether a released lock is kept for the rest of its minimum hold
 * @param permits whether a lock can have more than one permit
 * @param tickets whether an attempt can {@linkplain AcquireCommand#replaced replace} another token, for detached locks
 */
public record StoreCapabilities(int fencingTokens, boolean minHold, boolean permits, boolean tickets) {

    /** All capabilities of the port. */
    public static final StoreCapabilities ALL =
            new StoreCapabilities(AcquireCommand.MAX_FENCING_TOKENS, true, true, true);

    /**
     * Checks the range.
     *
     * @param fencingTokens number
     * @param minHold minimum holds
     * @param permits permits
     * @param tickets tickets
     * @throws IllegalArgumentException when {@code fencingTokens} is out of range
     */
    public StoreCapabilities {
        if (fencingTokens < 1 || fencingTokens > AcquireCommand.MAX_FENCING_TOKENS) {
            throw new IllegalArgumentException("A grant covers 1 to " + AcquireCommand.MAX_FENCING_TOKENS
                    + " fencing tokens, not " + fencingTokens);
        }
    }

    /** {@return the same capabilities for locks with one permit only} */
    public StoreCapabilities withOnePermit() {
        return new StoreCapabilities(fencingTokens, minHold, false, tickets);
    }

    /** {@return the same capabilities without detached locks} */
    public StoreCapabilities withoutTickets() {
        return new StoreCapabilities(fencingTokens, minHold, permits, false);
    }
}
