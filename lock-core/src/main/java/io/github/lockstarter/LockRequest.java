package io.github.lockstarter;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What to lock, and how: the argument of every {@link LockOperations} call. Immutable; each {@code with}-like method
 * returns a changed copy. What is not set here comes from {@code distributed-lock.*}.
 *
 * <pre>{@code
 * LockRequest.of("order:42").waitingUpTo(Duration.ofSeconds(2)).leasedFor(Duration.ofSeconds(10))
 * }</pre>
 *
 * @param name logical name for metrics and per-name configuration, never unique per entity; default {@value #UNNAMED},
 *     which the starter replaces with the part of the key before a colon if an annotation or the configuration has it
 * @param keys what is locked: one key, or several distinct ones in sorted order that are locked all or not at all
 * @param maxWait longest time the caller waits; zero makes one attempt
 * @param lease how long the lock outlives a holder that is paused or cut off, and at most a crashed one
 * @param renewal whether the watchdog renews the lease
 * @param ownership whether the acquiring thread may acquire the lock again while it holds it
 * @param atLeast minimum time for which no other caller gets the lock, counted from the grant
 * @param maxHold how long after its grant the lock is still renewed
 * @param permits how many callers have the lock at a time
 */
public record LockRequest(
        String name,
        List<String> keys,
        Optional<Duration> maxWait,
        Optional<Duration> lease,
        Renewal renewal,
        Ownership ownership,
        Optional<Duration> atLeast,
        Optional<Duration> maxHold,
        OptionalInt permits) {

    /** Name of a request that was given none. */
    public static final String UNNAMED = "unnamed";

    /** Longest key in UTF-16 characters. Redis keys stay far shorter: longer ones are hashed. */
    public static final int MAX_KEY_LENGTH = 16_384;

    /** Shortest lease: below it, clock allowance and round trip leave nothing. */
    public static final Duration MIN_LEASE = Duration.ofMillis(20);

    /** Most permits of a lock: an attempt looks at each of them. Up to 64 where callers wait is a sensible number. */
    public static final int MOST_PERMITS = 1024;

    /** Longest wait and longest lease: far above any sensible one, far below any arithmetic overflow. */
    public static final Duration MAX_DURATION = Duration.ofDays(365);

    /**
     * Checks what is given.
     *
     * @param name logical name
     * @param keys what is locked
     * @param maxWait longest time the caller waits
     * @param lease how long the lock outlives a holder that is paused or cut off, and at most a crashed one
     * @param renewal whether the watchdog renews the lease
     * @param ownership whether the acquiring thread may acquire the lock again while it holds it
     * @param atLeast minimum time for which no other caller gets the lock
     * @param maxHold how long after its grant the lock is still renewed
     * @param permits how many callers have the lock at a time
     * @throws IllegalArgumentException when a key is blank or too long, the name is blank, the wait is negative, the
     *     lease or the longest hold is below {@link #MIN_LEASE}, the minimum time is not zero and below 1 ms, one of
     *     them is above {@link #MAX_DURATION}, a lock that is not renewed has a longest hold, or the permits are not
     *     from 1 to {@value #MOST_PERMITS}
     */
    public LockRequest {
        Objects.requireNonNull(maxWait, "maxWait");
        Objects.requireNonNull(lease, "lease");
        Objects.requireNonNull(renewal, "renewal");
        Objects.requireNonNull(ownership, "ownership");
        Objects.requireNonNull(atLeast, "atLeast");
        Objects.requireNonNull(maxHold, "maxHold");
        Objects.requireNonNull(permits, "permits");
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("The lock name is blank; give a logical name such as 'ship-order'");
        }
        keys = checkedKeys(keys, name);
        if (maxWait.isPresent()) {
            checkWait(maxWait.get(), keys);
        }
        if (lease.isPresent()) {
            checkLease(lease.get(), keys);
        }
        if (atLeast.isPresent()) {
            checkAtLeast(atLeast.get(), keys);
        }
        if (maxHold.isPresent()) {
            checkMaxHold(maxHold.get(), renewal, keys);
        }
        if (permits.isPresent()) {
            checkPermits(permits.getAsInt(), keys);
        }
    }

    /**
     * A request for one key, everything else as configured.
     *
     * @param key what to lock, such as {@code "order:42"}
     * @return the request
     * @throws IllegalArgumentException when the key is null, blank or longer than {@link #MAX_KEY_LENGTH}
     */
    public static LockRequest of(String key) {
        return unconfigured(List.of(nonNull(key)));
    }

    /**
     * A request for several keys, locked all or not at all. Order does not matter and duplicates are dropped.
     *
     * @param keys what to lock; at least one
     * @return the request
     * @throws IllegalArgumentException when there is no key, or one is null, blank or too long
     */
    public static LockRequest ofAll(Collection<String> keys) {
        keys.forEach(LockRequest::nonNull);
        return unconfigured(List.copyOf(keys));
    }

    private static LockRequest unconfigured(List<String> keys) {
        return new LockRequest(
                UNNAMED,
                keys,
                Optional.empty(),
                Optional.empty(),
                Renewal.AS_CONFIGURED,
                Ownership.THREAD,
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty());
    }

    /**
     * Sets the logical name: the metrics tag and the {@code distributed-lock.locks.<name>} whose settings apply.
     *
     * @param name a name of few distinct values, never the key
     * @return the changed request
     */
    public LockRequest named(String name) {
        return new LockRequest(name, keys, maxWait, lease, renewal, ownership, atLeast, maxHold, permits);
    }

    /**
     * Sets the longest time the caller waits.
     *
     * @param wait zero for one attempt, up to {@link #MAX_DURATION}
     * @return the changed request
     */
    public LockRequest waitingUpTo(Duration wait) {
        return new LockRequest(name, keys, Optional.of(wait), lease, renewal, ownership, atLeast, maxHold, permits);
    }

    /**
     * Makes one attempt and no wait.
     *
     * @return the changed request
     */
    public LockRequest withoutWaiting() {
        return waitingUpTo(Duration.ZERO);
    }

    /**
     * Sets the lease.
     *
     * @param lease at least {@link #MIN_LEASE}, at most {@code distributed-lock.max-lease}
     * @return the changed request
     */
    public LockRequest leasedFor(Duration lease) {
        return new LockRequest(name, keys, maxWait, Optional.of(lease), renewal, ownership, atLeast, maxHold, permits);
    }

    /**
     * Has the watchdog renew the lease, whatever is configured.
     *
     * @return the changed request
     */
    public LockRequest withRenewal() {
        return new LockRequest(name, keys, maxWait, lease, Renewal.ON, ownership, atLeast, maxHold, permits);
    }

    /**
     * Lets the lock end by itself when the lease is over. Release the handle all the same: otherwise the thread's next
     * acquire of the key fails with {@link LockLostException}.
     *
     * @return the changed request
     */
    public LockRequest withoutRenewal() {
        return new LockRequest(name, keys, maxWait, lease, Renewal.OFF, ownership, atLeast, maxHold, permits);
    }

    /**
     * Gives the lock to the handle instead of the acquiring thread, for handles that travel to other threads. The
     * thread does not enter the lock again: every other acquire of the key contends, also one on the acquiring thread,
     * which then waits for a release of the handle. Locks that are acquired asynchronously always belong to their
     * handles.
     *
     * @return the changed request
     */
    public LockRequest ownedByHandle() {
        return new LockRequest(name, keys, maxWait, lease, renewal, Ownership.HANDLE, atLeast, maxHold, permits);
    }

    /**
     * Sets the minimum time: a release that comes sooner after the grant does not free the lock, but has the store keep
     * it for the rest of that time, from every caller, the releasing thread included. So a job that several instances
     * start at about the same time runs once, however short it is and however their clocks differ. The store's clock
     * measures the time. A crash leaves the lock until its lease is over; what another owner has is not kept.
     *
     * @param minimum from 1 ms to the lease; zero for none, whatever is configured
     * @return the changed request
     */
    public LockRequest keptFor(Duration minimum) {
        return new LockRequest(name, keys, maxWait, lease, renewal, ownership, Optional.of(minimum), maxHold, permits);
    }

    /**
     * Sets the longest hold: when it is over, the lease is renewed no more, and the lock is lost with the end of the
     * last one. So a holder that hangs does not keep the lock for as long as its JVM lives.
     *
     * @param maxHold from the lease to {@link #MAX_DURATION}; counted from the grant
     * @return the changed request
     * @throws IllegalArgumentException when the lock is not renewed
     */
    public LockRequest renewedUpTo(Duration maxHold) {
        return new LockRequest(name, keys, maxWait, lease, renewal, ownership, atLeast, Optional.of(maxHold), permits);
    }

    /**
     * Sets how many callers have the lock at a time, over all instances. Each of them has a slot of its own, see
     * {@link LockHandle#slot}, which no other caller has. Callers with different limits count the same slots: with
     * limits of 3 and 5 there are never more than 5, and whoever asks for 3 gets one only while one of the first 3
     * slots is free. So a limit can be changed while the lock is in use; nobody loses a slot by that.
     *
     * <p>A thread that has the lock enters it again and takes no second slot.
     *
     * @param permits from 1, an ordinary lock, to {@value #MOST_PERMITS}; of a lock with one key
     * @return the changed request
     */
    public LockRequest permits(int permits) {
        return new LockRequest(
                name, keys, maxWait, lease, renewal, ownership, atLeast, maxHold, OptionalInt.of(permits));
    }

    /**
     * A key as messages and logs show it: control characters and line separators are escaped as in Java, so that a key
     * from user input cannot begin a new line.
     *
     * @param text a key, or a text with keys in it
     * @return the same text if there is nothing to escape
     */
    public static String printable(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isPrintable(text.charAt(i))) {
                return escaped(text);
            }
        }
        return text;
    }

    private static boolean isPrintable(char character) {
        return !Character.isISOControl(character) && character != '\u2028' && character != '\u2029';
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            switch (character) {
                case '\n' -> escaped.append("\\n");
                case '\r' -> escaped.append("\\r");
                case '\t' -> escaped.append("\\t");
                default -> {
                    if (isPrintable(character)) {
                        escaped.append(character);
                    } else {
                        escaped.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
                    }
                }
            }
        }
        return escaped.toString();
    }

    private static String nonNull(@Nullable String key) {
        if (key == null) {
            throw new IllegalArgumentException("The lock key is null; give what is locked, such as 'order:42'");
        }
        return key;
    }

    private static List<String> checkedKeys(List<String> keys, String name) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("Lock '" + name + "' has no key; give at least one");
        }
        if (keys.size() == 1) {
            checkKey(keys.get(0), name);
            return List.copyOf(keys);
        }
        keys.forEach(key -> checkKey(key, name));
        return List.copyOf(new TreeSet<>(keys));
    }

    private static void checkKey(String key, String name) {
        if (nonNull(key).isBlank()) {
            throw new IllegalArgumentException(
                    "The lock key of '" + name + "' is blank; give what is locked, such as 'order:42'");
        }
        if (key.length() > MAX_KEY_LENGTH) {
            throw new IllegalArgumentException("Lock key '" + printable(key.substring(0, 40)) + "…' has "
                    + key.length() + " characters; at most " + MAX_KEY_LENGTH
                    + " are allowed. Lock an identifier, not a document");
        }
    }

    private static void checkWait(Duration wait, List<String> keys) {
        if (wait.isNegative() || wait.compareTo(MAX_DURATION) > 0) {
            throw new IllegalArgumentException(
                    "Wait of lock '" + described(keys) + "' is " + DurationText.exactly(wait) + "; it must be between "
                            + DurationText.exactly(Duration.ZERO) + " and " + DurationText.exactly(MAX_DURATION));
        }
    }

    private static void checkLease(Duration lease, List<String> keys) {
        if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_DURATION) > 0) {
            throw new IllegalArgumentException("Lease of lock '" + described(keys) + "' is "
                    + DurationText.exactly(lease) + "; it must be between " + DurationText.exactly(MIN_LEASE) + " and "
                    + DurationText.exactly(MAX_DURATION));
        }
    }

    private static void checkAtLeast(Duration atLeast, List<String> keys) {
        boolean tooShort = !atLeast.isZero() && atLeast.compareTo(Duration.ofMillis(1)) < 0;
        if (tooShort || atLeast.compareTo(MAX_DURATION) > 0) {
            throw new IllegalArgumentException("Minimum time of lock '" + described(keys) + "' is "
                    + DurationText.exactly(atLeast) + "; it must be 0, or between 1ms and the lease");
        }
    }

    private static void checkMaxHold(Duration maxHold, Renewal renewal, List<String> keys) {
        if (maxHold.compareTo(MIN_LEASE) < 0 || maxHold.compareTo(MAX_DURATION) > 0) {
            throw new IllegalArgumentException(
                    "Longest hold of lock '" + described(keys) + "' is " + DurationText.exactly(maxHold)
                            + "; it must be between the lease and " + DurationText.exactly(MAX_DURATION));
        }
        if (renewal == Renewal.OFF) {
            throw new IllegalArgumentException(
                    "Longest hold of lock '" + described(keys) + "' is " + DurationText.exactly(maxHold)
                            + ", which has no effect: the lock is not renewed, and ends with its lease. Leave out "
                            + "one of them");
        }
    }

    private static void checkPermits(int permits, List<String> keys) {
        if (permits < 1 || permits > MOST_PERMITS) {
            throw new IllegalArgumentException("Lock '" + described(keys) + "' has " + permits
                    + " permits; there must be from 1 to " + MOST_PERMITS);
        }
        if (permits > 1 && keys.size() > 1) {
            throw new IllegalArgumentException("Lock '" + described(keys) + "' has " + permits + " permits and "
                    + keys.size() + " keys; only a lock with one key can have more than one permit");
        }
    }

    private static String described(List<String> keys) {
        return printable(String.join(", ", keys));
    }
}
