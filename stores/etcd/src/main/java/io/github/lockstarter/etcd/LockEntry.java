package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The value of a lock's key.
 *
 * @param token owner's token; empty while the lock is kept for its minimum hold
 * @param offset added to the revision of the grant
 * @param fencingTokens number of fencing tokens of the grant
 * @param lease lease as requested, or the rest of the minimum hold; the etcd lease has whole seconds
 */
record LockEntry(Optional<String> token, long offset, int fencingTokens, Duration lease) {

    private static final Pattern STORED =
            Pattern.compile("1 (held|kept) ([0-9]{1,18}) ([0-9]{1,4}) ([0-9]{1,18})(?: (.*))?", Pattern.DOTALL);

    private static final Pattern NUMBERED = Pattern.compile("([^:|]*):[0-9]+.*", Pattern.DOTALL);

    /** Parses a value; empty if another kind of client has written it. */
    static Optional<LockEntry> of(ByteString value) {
        Matcher stored = STORED.matcher(value.toStringUtf8());
        if (!stored.matches()) {
            return Optional.empty();
        }
        String token = stored.group(5);
        boolean held = stored.group(1).equals("held");
        if (held != (token != null)) {
            return Optional.empty();
        }
        return Optional.of(new LockEntry(
                Optional.ofNullable(token),
                Long.parseLong(stored.group(2)),
                Integer.parseInt(stored.group(3)),
                Duration.ofMillis(Long.parseLong(stored.group(4)))));
    }

    static Predicate<KeyValue> isOf(LockToken token) {
        return isOf(token.value());
    }

    static Predicate<KeyValue> isOf(String token) {
        return lock -> of(lock.getValue()).flatMap(LockEntry::token).equals(Optional.of(token));
    }

    ByteString stored() {
        return ByteString.copyFromUtf8("1 " + (isKept() ? "kept" : "held") + ' ' + offset + ' ' + fencingTokens + ' '
                + lease.toMillis()
                + token.map(owner -> ' ' + owner).orElse(""));
    }

    boolean isKept() {
        return token.isEmpty();
    }

    long firstFencingToken(long createRevision) {
        return FencingTokens.at(createRevision, offset);
    }

    long lastFencingToken(long createRevision) {
        return firstFencingToken(createRevision) + fencingTokens - 1;
    }

    LockEntry leasedFor(Duration longer) {
        return new LockEntry(token, offset, fencingTokens, longer);
    }

    /** For another owner of the same key: the next fencing token of its revision. */
    LockEntry passedTo(LockToken next, Duration time) {
        return new LockEntry(Optional.of(next.value()), offset + fencingTokens, 1, time);
    }

    LockEntry keptFor(Duration rest) {
        return new LockEntry(Optional.empty(), offset, fencingTokens, rest);
    }

    Optional<LockHolder> holder() {
        return token.map(LockToken::holderOf);
    }

    Optional<String> instanceId() {
        return token.map(NUMBERED::matcher).filter(Matcher::matches).map(parts -> parts.group(1));
    }
}
