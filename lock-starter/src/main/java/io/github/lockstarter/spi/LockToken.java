package io.github.lockstarter.spi;

/**
 * Unique proof of one acquisition attempt. Whoever knows it can release or renew the lock, so it never shows in a log.
 *
 * @param instanceId identity of the lock client, made at its start: 128 random bits in hex
 * @param sequence number of the attempt within the client, from 1 on
 */
public record LockToken(String instanceId, long sequence) {

    private static final int SHOWN = 8;

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

    /**
     * Which instance it belongs to, for people to read: too short to make a token from.
     *
     * @return the first characters of its id
     */
    public String instance() {
        return shortened(instanceId);
    }

    /**
     * As {@link #instance}, of an id alone.
     *
     * @param instanceId identity of a lock client
     * @return its first characters
     */
    public static String shortened(String instanceId) {
        return instanceId.substring(0, Math.min(SHOWN, instanceId.length()));
    }

    /** Masked. */
    @Override
    public String toString() {
        return "LockToken[…:" + sequence + ']';
    }
}
