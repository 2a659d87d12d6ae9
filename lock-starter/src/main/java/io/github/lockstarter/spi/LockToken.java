package io.github.lockstarter.spi;

/**
 * Unique proof of one acquisition attempt. Whoever knows it can release or renew the lock, so it never shows in a log.
 *
 * @param instanceId identity of the lock client, made at its start: 128 random bits in hex
 * @param sequence number of the attempt within the client, from 1 on
 */
public record LockToken(String instanceId, long sequence) {

    /** The number of a token that never asks for a lock, and so never has one: it names the instance only. */
    public static final long NO_ATTEMPT = 0;

    /**
     * The token as it is stored at the backend.
     *
     * @return {@code instanceId:sequence}
     */
    public String value() {
        return instanceId + ':' + sequence;
    }

    /** Masked. */
    @Override
    public String toString() {
        return "LockToken[…:" + sequence + ']';
    }
}
