package io.github.lockstarter.spi;

import io.github.lockstarter.LockHolder;
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
 * <p>So is the take-over time, which the holder's instance counts on, and which other instances must not undercut.
 *
 * @param instanceId identity of the lock client, made at its start: 128 random bits in hex
 * @param sequence number of the attempt within the client, from 1 on
 * @param owner name of the thread, or whatever else acquires: the last {@value #LONGEST_OWNER} characters of it, and a
 *     question mark for each that is not printable ASCII, a colon, or a vertical bar. Behind the last at sign, in the
 *     same way, where the instance runs: {@code host/application}
 * @param since when the attempt was made, in milliseconds since 1970; 0 for a token that says nothing of that
 *     kind
 * @param takeOverMillis how long after the end of the instance's connection another instance may take the lock over, in
 *     milliseconds; 0 if none may, so that the lease decides alone
 * @param takeOverCondition on what such a take-over depends; without meaning if there is none
 */
public record LockToken(
        String instanceId,
        long sequence,
        String owner,
        long since,
        long takeOverMillis,
        TakeOverCondition takeOverCondition) {

    /** The number of a token that is never sent in an attempt, and so never has a lock: it names the instance only. */
    public static final long NO_ATTEMPT = 0;

    /** The longest name of an owner. */
    public static final int LONGEST_OWNER = 40;

    private static final char AT = '@';

    private static final long UNTOLD = 0;

    private static final int SHOWN = 8;

    /** Between what makes a token unique and what is for people to read. */
    private static final char LABEL = '|';

    /** Behind a take-over time that replicas have to acknowledge. */
    private static final char ACKNOWLEDGED = '+';

    /** Instance, number of the attempt, time of it, name, take-over time. */
    private static final Pattern STORED = Pattern.compile(
            "([^|]+?)(?::[0-9]+)?(?:\\|(?:([0-9]{1,15})(?: (.*?))?)?(?:\\|[0-9]{1,15}\\+?)?)?", Pattern.DOTALL);

    private static final Pattern UNREADABLE = Pattern.compile("[^ -~]|[:|]");

    /**
     * Shortens and cleans the name of the owner.
     *
     * @param instanceId identity of the lock client
     * @param sequence number of the attempt
     * @param owner name of what acquires
     * @param since when the attempt was made
     * @param takeOverMillis how long after the end of its connection the lock may be taken over
     * @param takeOverCondition on what that depends
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
     * A token with owner and time whose lock is not taken over.
     *
     * @param instanceId identity of the lock client
     * @param sequence number of the attempt
     * @param owner name of what acquires
     * @param since when the attempt was made
     */
    public LockToken(String instanceId, long sequence, String owner, long since) {
        this(instanceId, sequence, owner, since, 0, TakeOverCondition.NONE);
    }

    /**
     * The token as it is stored at the backend.
     *
     * @return {@code instanceId:sequence}, followed by {@code |since owner} if the token has them, and by {@code |} and
     *     the take-over time if it has one, before which an empty field stands for {@code |since owner}, and behind
     *     which {@code +} stands for {@link TakeOverCondition#ACKNOWLEDGED_BY_REPLICAS}
     */
    public String value() {
        String unlabelled = instanceId + ':' + sequence;
        String labelled = since == UNTOLD ? unlabelled : unlabelled + LABEL + since + ' ' + owner;
        if (takeOverMillis == 0) {
            return labelled;
        }
        String timed = (since == UNTOLD ? labelled + LABEL : labelled) + LABEL + takeOverMillis;
        return takeOverCondition == TakeOverCondition.NONE ? timed : timed + ACKNOWLEDGED;
    }

    /**
     * The owner of the lock that has this token.
     *
     * @return the readable part of the token
     */
    public LockHolder holder() {
        return since == UNTOLD ? new LockHolder(instance()) : holder(instance(), owner, since);
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
     * An owner with the place where it runs.
     *
     * @param name of the thread, or whatever else acquires
     * @param place {@code host/application}; blank if it is unknown
     * @return the owner of a token
     */
    public static String ownerAt(String name, String place) {
        return place.isBlank() && name.indexOf(AT) < 0 ? name : name + AT + place;
    }

    /**
     * What an instance may know of the owner of a lock that another instance has: the readable part of the stored
     * token. It is short and printable for any text, even from a client of another kind.
     *
     * @param stored the {@link #value} of the token, with or without the number of the attempt
     * @return the owner
     */
    public static LockHolder holderOf(String stored) {
        Matcher parts = STORED.matcher(stored);
        if (!parts.matches()) {
            return new LockHolder(shortened(readable(stored)));
        }
        String instance = shortened(readable(parts.group(1)));
        String since = parts.group(2);
        String owner = parts.group(3);
        return since == null
                ? new LockHolder(instance)
                : holder(instance, owner == null ? "" : readable(owner), Long.parseLong(since));
    }

    private static LockHolder holder(String instance, String owner, long since) {
        int at = owner.lastIndexOf(AT);
        String name = at < 0 ? owner : owner.substring(0, at);
        String[] place = at < 0 ? new String[] {""} : owner.substring(at + 1).split("/", 2);
        return new LockHolder(
                instance,
                told(place[0]),
                told(place.length > 1 ? place[1] : ""),
                told(name),
                Optional.of(Instant.ofEpochMilli(since)));
    }

    private static Optional<String> told(String text) {
        return Optional.of(text).filter(each -> !each.isBlank());
    }

    /** Cuts and cleans the name and the place of an owner. */
    private static String readable(String owner) {
        int at = owner.lastIndexOf(AT);
        return at < 0 ? cleaned(owner) : cleaned(owner.substring(0, at)) + AT + cleaned(owner.substring(at + 1));
    }

    private static String cleaned(String name) {
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
     * @return SHA-1 of the {@link #value} in lower-case hex, which stores with scripts compute, too
     */
    public String fingerprint() {
        return fingerprintOf(value());
    }

    /**
     * As {@link #fingerprint}, of a token that is stored.
     *
     * @param stored the {@link #value} of the token
     * @return its SHA-1 in lower-case hex
     */
    public static String fingerprintOf(String stored) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(stored.getBytes(StandardCharsets.UTF_8));
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
