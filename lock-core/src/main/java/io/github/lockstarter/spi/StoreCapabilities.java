package io.github.lockstarter.spi;

/**
 * Capabilities of a store beyond exclusion. The engine uses no others; the store's auto-configuration refuses at
 * startup a configuration that needs more.
 *
 * @param fencingTokens maximum number of fencing tokens per grant; 1 disables handovers
 * @param minHold whether a released lock is kept for the rest of its minimum hold
 * @param permits whether a lock can have more than one permit
 * @param tickets whether an attempt can {@linkplain AcquireCommand#replaced replace} another token, for detached locks
 * @param readers whether a lock can have readers
 */
public record StoreCapabilities(int fencingTokens, boolean minHold, boolean permits, boolean tickets, boolean readers) {

    /** All capabilities of the port. */
    public static final StoreCapabilities ALL =
            new StoreCapabilities(AcquireCommand.MAX_FENCING_TOKENS, true, true, true, true);

    /**
     * Checks the range.
     *
     * @param fencingTokens number
     * @param minHold minimum holds
     * @param permits permits
     * @param tickets tickets
     * @param readers readers
     * @throws IllegalArgumentException when {@code fencingTokens} is out of range
     */
    public StoreCapabilities {
        if (fencingTokens < 1 || fencingTokens > AcquireCommand.MAX_FENCING_TOKENS) {
            throw new IllegalArgumentException("A grant covers 1 to " + AcquireCommand.MAX_FENCING_TOKENS
                    + " fencing tokens, not " + fencingTokens);
        }
    }

    /** {@return the same capabilities for locks with one owner at a time only} */
    public StoreCapabilities withOneOwner() {
        return new StoreCapabilities(fencingTokens, minHold, false, tickets, false);
    }

    /** {@return the same capabilities without detached locks} */
    public StoreCapabilities withoutTickets() {
        return new StoreCapabilities(fencingTokens, minHold, permits, false, readers);
    }
}
