package io.github.lockstarter;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The lock to acquire and its terms. Immutable. Unset terms come from {@code distributed-lock.*}.
 *
 * <pre>{@code
 * LockRequest.of("order:42").maxWait(Duration.ofSeconds(2)).lease(Duration.ofSeconds(10))
 * }</pre>
 *
 * @param name logical name; for {@value #UNNAMED}, the starter uses the part of the key before a colon if an annotation
 *     or the configuration has that name
 * @param keys distinct keys in sorted order, locked all or none
 * @param ownership owner, who may re-enter the lock
 * @param inTransaction as {@link #inTransaction(InTransaction)}
 * @param terms terms of this request; unset ones are configured
 * @param ticket of the detached lock to attach; empty for a lock to acquire
 */
public record LockRequest(
        String name,
        List<String> keys,
        Ownership ownership,
        InTransaction inTransaction,
        LockTerms terms,
        Optional<LockTicket> ticket) {

    /** Default name. */
    public static final String UNNAMED = "unnamed";

    /** Longest key, in UTF-16 characters. */
    public static final int MAX_KEY_LENGTH = 16_384;

    /** Shortest lease; a shorter one leaves no time after round trip and clock allowance. */
    public static final Duration MIN_LEASE = Duration.ofMillis(20);

    /** Most keys of one request. Each takes a round trip within the wait. */
    public static final int MAX_KEYS = 10_000;

    /** Highest number of permits. An attempt checks each slot: stay below 64 where callers wait. */
    public static final int MAX_PERMITS = 1024;

    /** Upper limit of all durations. */
    public static final Duration MAX_DURATION = Duration.ofDays(365);

    private static final Pattern UNPRINTABLE = Pattern.compile("[\\x00-\\x1F\\x7F-\\x9F\\u2028\\u2029]");

    /**
     * Validates the values, sorts the keys and drops duplicates.
     *
     * @param name logical name
     * @param keys keys
     * @param ownership owner
     * @param inTransaction behaviour inside a transaction
     * @param terms terms
     * @param ticket ticket
     * @throws IllegalArgumentException when there is no key, or more than {@value #MAX_KEYS}, the name or a key is
     *     blank, the name has a control character, a key is too long, the wait is negative, the lease or maximum hold
     *     is below {@link #MIN_LEASE}, the minimum hold is below 1 ms but not zero, a duration is above {@link
     *     #MAX_DURATION}, a maximum hold is set without renewal, or the permits are not from 1 to {@value
     *     #MAX_PERMITS}, or above 1 for several keys or a ticket, or a lock that is read has several permits, a
     *     minimum hold or a ticket, or the keys are not that of the ticket
     */
    public LockRequest {
        Objects.requireNonNull(ownership, "ownership");
        Objects.requireNonNull(inTransaction, "inTransaction");
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("The lock name is blank; give a logical name such as 'ship-order'");
        }
        if (hasUnprintable(name)) {
            throw new IllegalArgumentException(
                    "The lock name '" + printable(name) + "' has a control character; logs and meters show the name");
        }
        keys = checkedKeys(keys, name);
        List<String> checked = keys;
        UnaryOperator<String> subject = term -> described(term, checked);
        terms.check(subject);
        terms.checkRenewed(subject, terms.renewal());
        if (terms.reads()) {
            terms.checkReading(joined(keys));
        }
        if (keys.size() > 1) {
            terms.checkPermits(joined(keys), keys.size());
        }
        if (ticket.isPresent() && terms.reads()) {
            throw new IllegalArgumentException("The ticket of lock '" + joined(keys)
                    + "' is for a lock that is written, not read (mode READ). Leave the mode out");
        }
        if (ticket.isPresent() && !keys.equals(List.of(ticket.get().key()))) {
            throw new IllegalArgumentException(
                    "The ticket of lock '" + printable(ticket.get().key()) + "' is not for '" + joined(keys) + "'");
        }
    }

    /**
     * {@return a request for one key}
     *
     * @param key such as {@code "order:42"}
     * @throws IllegalArgumentException when the key is null, blank or too long
     */
    public static LockRequest of(String key) {
        return unconfigured(List.of(nonNull(key)));
    }

    /**
     * {@return a request for several keys, locked all or none}
     *
     * @param keys one to {@value #MAX_KEYS}, in any order
     * @throws IllegalArgumentException when there is no key, or too many, or one is null, blank or too long
     */
    public static LockRequest ofAll(Collection<String> keys) {
        keys.forEach(LockRequest::nonNull);
        return unconfigured(List.copyOf(keys));
    }

    /**
     * {@return a request that attaches a {@linkplain LockHandle#detach detached} lock, under its name} One attempt,
     * without a wait. If the ticket's lock is gone, taken over, or attached already, any method that acquires throws
     * {@link LockLostException}, and nothing changes.
     *
     * @param ticket of the lock
     */
    public static LockRequest ofTicket(LockTicket ticket) {
        return new LockRequest(
                ticket.name(),
                List.of(ticket.key()),
                Ownership.THREAD,
                InTransaction.AS_CONFIGURED,
                LockTerms.NONE,
                Optional.of(ticket));
    }

    private static LockRequest unconfigured(List<String> keys) {
        return new LockRequest(
                UNNAMED, keys, Ownership.THREAD, InTransaction.AS_CONFIGURED, LockTerms.NONE, Optional.empty());
    }

    private LockRequest with(LockTerms changed) {
        return new LockRequest(name, keys, ownership, inTransaction, changed, ticket);
    }

    /**
     * {@return a copy with this logical name: the metrics tag and the {@code <name>} of {@code
     * distributed-lock.locks.<name>}}
     *
     * @param name with few distinct values, never the key
     */
    public LockRequest named(String name) {
        return new LockRequest(name, keys, ownership, inTransaction, terms, ticket);
    }

    /**
     * {@return a copy for these keys}
     *
     * @param keys at least one, in any order
     */
    public LockRequest withKeys(List<String> keys) {
        return new LockRequest(name, keys, ownership, inTransaction, terms, ticket);
    }

    /**
     * {@return a copy with this longest wait}
     *
     * @param wait zero for one attempt, up to {@link #MAX_DURATION}
     */
    public LockRequest maxWait(Duration wait) {
        return with(terms.maxWait(wait));
    }

    /** {@return a copy for a single attempt} */
    public LockRequest withoutWaiting() {
        return maxWait(Duration.ZERO);
    }

    /**
     * {@return a copy with this lease}
     *
     * @param lease from {@link #MIN_LEASE} to {@code distributed-lock.max-lease}
     */
    public LockRequest lease(Duration lease) {
        return with(terms.lease(lease));
    }

    /** {@return a copy with renewal} */
    public LockRequest withRenewal() {
        return with(terms.renewal(Renewal.ON));
    }

    /**
     * {@return a copy whose lock ends with its lease} Release the handle anyway; otherwise the thread's next acquire of
     * the key throws {@link LockLostException}.
     */
    public LockRequest withoutRenewal() {
        return with(terms.renewal(Renewal.OFF));
    }

    /**
     * {@return a copy whose lock is {@linkplain Ownership#HANDLE owned by the handle}, for handles that change threads}
     */
    public LockRequest ownedByHandle() {
        return new LockRequest(name, keys, Ownership.HANDLE, inTransaction, terms, ticket);
    }

    /**
     * {@return a copy with this minimum hold} After an earlier release the store keeps the lock from every caller until
     * that time since the grant has passed by its clock, so a short job that several instances start together runs
     * once. A crashed holder's lock ends with its lease.
     *
     * @param minimum from 1 ms to the lease; zero for none
     */
    public LockRequest minHold(Duration minimum) {
        return with(terms.minHold(minimum));
    }

    /**
     * {@return a copy whose minimum hold has this condition}
     *
     * @param condition {@link MinHoldIf#SUCCESS} to free the lock at once after a failure; needs a minimum hold
     */
    public LockRequest minHoldIf(MinHoldIf condition) {
        return with(terms.minHoldIf(condition));
    }

    /**
     * {@return a copy with this maximum hold} After it the lease is no longer renewed, so a holder that hangs loses the
     * lock.
     *
     * @param maxHold from the lease to {@link #MAX_DURATION}, counted from the grant; with that, the hold has no limit,
     *     and {@link LockEvent.HeldLong} does not report it
     * @throws IllegalArgumentException when renewal is off
     */
    public LockRequest maxHold(Duration maxHold) {
        return with(terms.maxHold(maxHold));
    }

    /**
     * {@return a copy with this number of simultaneous holders over all instances} Each has its own {@link
     * LockHandle#slot}; re-entering takes no second one. A caller uses only the slots below its own limit, so the limit
     * can change while the lock is in use.
     *
     * @param permits from 1, an ordinary lock, to {@value #MAX_PERMITS}; above 1 only with one key
     */
    public LockRequest permits(int permits) {
        return with(terms.permits(permits));
    }

    /**
     * {@return a copy with this behaviour when the lock is lost}
     *
     * @param behaviour such as {@link OnLost#INTERRUPT}; of nested calls, that of the outermost one applies
     */
    public LockRequest onLost(OnLost behaviour) {
        return with(terms.onLost(behaviour));
    }

    /**
     * {@return a copy with this mode} Callers that {@link LockMode#READ READ} hold the lock at the same time; the
     * ordinary lock of the key excludes them. Those of one instance with the same terms share a hold until its first
     * renewal is due, or 50 ms have passed since others wait, with one fencing token and one maximum hold, and it ends
     * for all of them if it is lost. Until that renewal is due, the instance keeps it for 50 ms after the last reader,
     * unless a caller waits; in that time, a writer of another instance that does not wait is refused. Without renewal,
     * only readers that waited together share a hold. There are at most 32 holds. A caller that writes may read; one
     * that only reads cannot begin to write.
     *
     * @param mode such as {@link LockMode#READ}
     */
    public LockRequest mode(LockMode mode) {
        return with(terms.mode(mode));
    }

    /**
     * {@return a copy with this behaviour inside a transaction of the caller} The locks of the Spring bean know the
     * transaction; others ignore it.
     *
     * @param behaviour such as {@link InTransaction#RELEASE_AFTER}
     */
    public LockRequest inTransaction(InTransaction behaviour) {
        return new LockRequest(name, keys, ownership, behaviour, terms, ticket);
    }

    /**
     * {@return the text with escaped control characters and line separators, so that a key from user input cannot start
     * a new line in messages and logs}
     *
     * @param text with keys
     */
    public static String printable(String text) {
        return UNPRINTABLE.matcher(text).replaceAll(LockRequest::escaped);
    }

    /** Each change of a request asks it, so it allocates nothing. */
    private static boolean hasUnprintable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (Character.isISOControl(character) || character == 0x2028 || character == 0x2029) {
                return true;
            }
        }
        return false;
    }

    private static String escaped(MatchResult unprintable) {
        char character = unprintable.group().charAt(0);
        return switch (character) {
            case '\n' -> "\\\\n";
            case '\r' -> "\\\\r";
            case '\t' -> "\\\\t";
            default -> String.format(Locale.ROOT, "\\\\u%04x", (int) character);
        };
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
        if (keys.size() > MAX_KEYS) {
            throw new IllegalArgumentException("Lock '" + name + "' has " + keys.size() + " keys; at most " + MAX_KEYS
                    + " are allowed. Lock what contains them, or a part of them at a time");
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

    private static String described(String term, List<String> keys) {
        return term + " of lock '" + joined(keys) + "'";
    }

    private static String joined(List<String> keys) {
        return printable(String.join(", ", keys));
    }
}
