package io.github.lockstarter.spi;

import io.github.lockstarter.LockHolder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an instance may know of the owner of a lock that another instance has: the readable part of the stored {@link
 * LockToken}.
 *
 * @param holder the owner
 */
public record StoredOwner(LockHolder holder) {

    /** Instance, time of the attempt, name, take-over time. */
    private static final Pattern LABELLED =
            Pattern.compile("([^|]+)(?:\\|(?:([0-9]{1,15})(?: (.*?))?)?(?:\\|[0-9]{1,15}\\+?)?)?", Pattern.DOTALL);

    /**
     * Reads the stored token: {@code instanceId}, or what {@link LockToken#value} has behind the number. The result is
     * short and printable for any text, also from a client of another kind.
     *
     * @param text the stored token without the number of the attempt
     * @return its readable part
     */
    public static StoredOwner of(String text) {
        Matcher parts = LABELLED.matcher(text);
        if (!parts.matches()) {
            return new StoredOwner(new LockHolder(LockToken.shortened(LockToken.readable(text))));
        }
        String instance = LockToken.shortened(LockToken.readable(parts.group(1)));
        String since = parts.group(2);
        String owner = parts.group(3);
        LockHolder holder = since == null
                ? new LockHolder(instance)
                : LockToken.holder(instance, owner == null ? "" : LockToken.readable(owner), Long.parseLong(since));
        return new StoredOwner(holder);
    }
}
