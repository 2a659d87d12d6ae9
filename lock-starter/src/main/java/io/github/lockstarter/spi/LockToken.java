package io.github.lockstarter.spi;

/**
 * Unique proof of one acquisition attempt. Whoever knows it can release or renew the lock, so it never shows in a log.
 *
 * @param instanceId identity of the lock client, made at its start: 128 random bits in hex
 * @param sequence number of the attempt within the client
 */
public record LockToken(String instanceId, long sequence) {

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
