package io.github.lockstarter.spi;

import io.github.lockstarter.LockAdmin.StoredLock.Holder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Unique proof of one acquisition attempt. A client that knows it can release or renew the lock, so it is never logged.
 *
 * <p>The instance and the number make it unique. Owner and time of the attempt are for operators and for the exceptions
 * of other callers; they are part of the token, so that they are stored, compared and forgotten with it.
 *
 * @param instanceId identity of the lock client, made at its start: 128 random bits in hex
 * @param sequence number of the attempt within the client, from 1 on
 * @param owner name of the thread, or whatever else acquires: the last {@value #LONGEST_OWNER} characters of it, and a
 *     question mark for each that is not printable ASCII, a colon, or a vertical bar
 * @param since when the attempt was made, in milliseconds since 1970; 0 for a token that says nothing of that
 *     kind
 */
public record LockToken(String instanceId, long sequence, String owner, long since) {

    /** The number of a token that is never sent in an attempt, and so never has a lock: it names the instance only. */
    public static final long NO_ATTEMPT = 0;

    /** The longest name of an owner. */
    public static final int LONGEST_OWNER = 40;

    private static final long UNTOLD = 0;

    private static final int SHOWN = 8;

    /** Between what makes a token unique and what is for people to read. */
    private static final char LABEL = '|';

    private static final Pattern UNREADABLE = Pattern.compile("[^ -~]|[:|]");

    private static final Pattern LABELLED = Pattern.compile("([^|]*)(?:\\|([0-9]{1,15})(?: (.*))?)?", Pattern.DOTALL);

    /**
     * Shortens and cleans the name of the owner.
     *
     * @param instanceId identity of the lock client
     * @param sequence number of the attempt
     * @param owner name of what acquires
     * @param since when the attempt was made
     */
    public LockToken {
        owner = readable(owner);
    }

    /**
     * A token without owner and time.
     *
     * @param instanceId identity of the lock client
     * @param sequence number of the attempt
     */
    public LockToken(String instanceId, long sequence) {
        this(instanceId, sequence, "", UNTOLD);
    }

    /**
     * The token as it is stored at the backend.
     *
     * @return {@code instanceId:sequence}, followed by {@code |since owner} if the token has them
     */
    public String value() {
        return since == UNTOLD
                ? instanceId + ':' + sequence
                : instanceId + ':' + sequence + LABEL + since + ' ' + owner;
    }

    /**
     * The owner of the lock that has this token.
     *
     * @return the readable part of the token
     */
    public Holder holder() {
        return since == UNTOLD ? new Holder(instance()) : holder(instance(), owner, since);
    }

    /**
     * Whether the token has owner and time.
     *
     * @return false for a token of an instance and a number alone
     */
    public boolean tellsOwner() {
        return since != UNTOLD;
    }

    /**
     * The owner of a lock, read from the stored token: {@code instanceId}, or {@code instanceId|since owner}. The
     * result is short and printable for any text, also from a client of another kind.
     *
     * @param text the stored token without the number of the attempt
     * @return the readable part of the token
     */
    public static Holder holderOf(String text) {
        Matcher parts = LABELLED.matcher(text);
        if (!parts.matches()) {
            return new Holder(shortened(readable(text)));
        }
        String instance = shortened(readable(parts.group(1)));
        String since = parts.group(2);
        String owner = parts.group(3);
        return since == null
                ? new Holder(instance)
                : holder(instance, owner == null ? "" : readable(owner), Long.parseLong(since));
    }

    private static Holder holder(String instance, String owner, long since) {
        return new Holder(
                instance, Optional.of(owner).filter(name -> !name.isBlank()), Optional.of(Instant.ofEpochMilli(since)));
    }

    private static String readable(String name) {
        String end = name.substring(Math.max(0, name.length() - LONGEST_OWNER));
        for (int i = 0; i < end.length(); i++) {
            char each = end.charAt(i);
            if (each < ' ' || each > '~' || each == ':' || each == LABEL) {
                return UNREADABLE.matcher(end).replaceAll("?");
            }
        }
        return end;
    }

    /**
     * Identifies this token to clients that know it: the fingerprint cannot be made without the token, nor the token
     * from the fingerprint.
     *
     * @return SHA-1 of the {@link #value} in lower-case hex, as Redis computes it
     */
    public String fingerprint() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(value().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }

    /**
     * A readable name of the token's instance, too short to make a token from.
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
