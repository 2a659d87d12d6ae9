package io.github.lockstarter.spi;

import io.github.lockstarter.LockHolder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Unique proof of one acquisition attempt. Any client that knows it can release or renew the lock, so it is never
 * logged. Instance and number make it unique; owner and time are for operators and other callers.
 *
 * @param instanceId identity of the lock client, created at its start: 128 random bits in hex
 * @param number of the attempt: positive, 62 random bits, so that copies of a running client have different tokens
 * @param owner name of the acquiring thread or other owner: its last {@value #LONGEST_OWNER} characters, with a
 *     question mark for each colon, vertical bar or character that is not printable ASCII; after the last at sign, in
 *     the same form, {@code host/application}
 * @param since time of the attempt in milliseconds since 1970; 0 for a token without owner and time
 * @param takeoverMillis milliseconds after the end of the instance's connection when another instance may take the lock
 *     over; 0 if only the lease decides
 * @param takeoverCondition condition of a takeover
 */
public record LockToken(
        String instanceId,
        long number,
        String owner,
        long since,
        long takeoverMillis,
        TakeoverCondition takeoverCondition) {

    /** Number of a token that only names the instance and never has a lock. */
    public static final long NO_ATTEMPT = 0;

    /** Maximum length of the name, and of the place. */
    public static final int LONGEST_OWNER = 40;

    private static final char AT = '@';

    private static final long UNTOLD = 0;

    private static final int SHOWN = 8;

    private static final char LABEL = '|';

    private static final char ACKNOWLEDGED = '+';

    private static final Pattern STORED = Pattern.compile(
            "([^|]+?)(?::[0-9]+)?(?:\\|(?:([0-9]{1,15})(?: (.*?))?)?(?:\\|[0-9]{1,15}\\+?)?)?", Pattern.DOTALL);

    private static final Pattern UNREADABLE = Pattern.compile("[^ -~]|[:|]");

    /**
     * Makes the owner printable.
     *
     * @param instanceId instance
     * @param number number
     * @param owner owner
     * @param since time
     * @param takeoverMillis takeover time
     * @param takeoverCondition condition
     */
    public LockToken {
        owner = readable(owner);
    }

    /**
     * A token without owner and time, of a lock that is not taken over.
     *
     * @param instanceId instance
     * @param number number
     */
    public LockToken(String instanceId, long number) {
        this(instanceId, number, "", UNTOLD, 0, TakeoverCondition.NONE);
    }

    /**
     * {@return the stored form: {@code instanceId:number|since owner|takeoverMillis}, then {@code +} for {@link
     * TakeoverCondition#ACKNOWLEDGED_BY_REPLICAS}. Absent parts are left out, but an empty {@code since owner} keeps
     * its bar before a takeover time}
     */
    public String value() {
        String unlabelled = instanceId + ':' + number;
        String labelled = since == UNTOLD ? unlabelled : unlabelled + LABEL + since + ' ' + owner;
        if (takeoverMillis == 0) {
            return labelled;
        }
        String timed = (since == UNTOLD ? labelled + LABEL : labelled) + LABEL + takeoverMillis;
        return takeoverCondition == TakeoverCondition.NONE ? timed : timed + ACKNOWLEDGED;
    }

    /** {@return the readable part of the token} */
    public LockHolder holder() {
        return since == UNTOLD ? new LockHolder(instance()) : holder(instance(), owner, since);
    }

    /** {@return whether the token has owner and time} */
    public boolean tellsOwner() {
        return since != UNTOLD;
    }

    /**
     * {@return a token's owner with its place}
     *
     * @param name owner
     * @param place {@code host/application}; blank if unknown
     */
    public static String ownerAt(String name, String place) {
        return place.isBlank() && name.indexOf(AT) < 0 ? name : name + AT + place;
    }

    /**
     * {@return the owner in a stored token; short and printable for any text, even of another client}
     *
     * @param stored {@link #value}, with or without the number
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
     * {@return SHA-1 of the {@link #value} in lower-case hex, which identifies the token without revealing it, and
     * which scripts in the store can compute}
     */
    public String fingerprint() {
        return fingerprintOf(value());
    }

    /**
     * {@return the {@link #fingerprint} of a stored token}
     *
     * @param stored {@link #value}
     */
    public static String fingerprintOf(String stored) {
        return Digest.SHA_1.hex(stored.getBytes(StandardCharsets.UTF_8));
    }

    /** {@return the start of the instance's id, too short to build a token} */
    public String instance() {
        return shortened(instanceId);
    }

    /**
     * {@return the {@link #instance} of an id}
     *
     * @param instanceId identity of a lock client
     */
    public static String shortened(String instanceId) {
        return instanceId.substring(0, Math.min(SHOWN, instanceId.length()));
    }

    /** Hides the token. */
    @Override
    public String toString() {
        return "LockToken[…:" + number + ']';
    }
}
