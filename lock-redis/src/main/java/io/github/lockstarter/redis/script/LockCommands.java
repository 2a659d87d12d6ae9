package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.history.Milliseconds;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.WithdrawCommand;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns commands into calls of scripts: the one place that knows the order of their keys and arguments. */
public final class LockCommands {

    /** Status of release and withdraw: done, and a waiter was signalled. */
    static final long SIGNALLED = 3;

    /** Status of release and withdraw: done, but the next waiter could not be signalled. */
    public static final long UNSIGNALLED = 2;

    /** Status of release, confirm and revoke: the token does not have the lock. */
    public static final long NOT_HELD = 0;

    /** Those of a renewal that are before the first lock's. */
    private static final int COMMON_ARGUMENTS = 3;

    /** In place of an argument that is absent, where another one follows. */
    private static final String ABSENT = "";

    /** Tells the acquire script to tell the time. */
    private static final String VOTES = "votes";

    /** Tells a script that nobody counts the listeners at other nodes. */
    private static final String UNCOUNTED = "uncounted";

    private final KeySpace keySpace;
    private final String counting;

    /**
     * Prepares calls.
     *
     * @param keySpace what the keys are called
     * @param servers whether they count all listeners of a channel
     */
    public LockCommands(KeySpace keySpace, RedisConnector servers) {
        this.keySpace = keySpace;
        this.counting = servers.isCluster() ? UNCOUNTED : ABSENT;
    }

    /** What the keys are called. */
    public KeySpace keySpace() {
        return keySpace;
    }

    public ScriptCall<AcquireReply> acquire(AcquireCommand command, LockKeys keys, @Nullable ServerHistory history) {
        return ScriptCall.ofAcquire(keys(keys, history), arguments(command, keys.name(), history, ABSENT));
    }

    /** As {@link #acquire}, and the reply tells the time. */
    public ScriptCall<AcquireReply> vote(AcquireCommand command, LockKeys keys, @Nullable ServerHistory history) {
        return ScriptCall.ofAcquire(keys(keys, history), arguments(command, keys.name(), history, VOTES));
    }

    private static String[] keys(LockKeys keys, @Nullable ServerHistory history) {
        return history == null ? keys.all() : new String[] {keys.lock(), keys.fence(), keys.waiters(), history.key()};
    }

    /** One call for all of them, which share a history. */
    public ScriptCall<RenewReply> renew(List<RenewCommand> commands, @Nullable ServerHistory history) {
        int count = commands.size();
        String[] keys = new String[history == null ? count : count + 1];
        String[] arguments = new String[COMMON_ARGUMENTS + 2 * count];
        if (history != null) {
            keys[count] = history.key();
        }
        arguments[0] = history == null ? ABSENT : history.known();
        arguments[1] = history == null ? ABSENT : history.terms().graceMillis();
        arguments[2] = history == null ? ABSENT : history.terms().quietMillis();
        Duration lease = Duration.ZERO;
        String leaseMillis = Milliseconds.text(lease);
        for (int i = 0; i < count; i++) {
            RenewCommand command = commands.get(i);
            if (!command.lease().equals(lease)) { // rarely: most locks have the same
                lease = command.lease();
                leaseMillis = Milliseconds.text(lease);
            }
            keys[i] = keySpace.lockOf(command.key());
            arguments[COMMON_ARGUMENTS + 2 * i] = command.token().value();
            arguments[COMMON_ARGUMENTS + 2 * i + 1] = leaseMillis;
        }
        return ScriptCall.ofRenewal(LockScript.RENEW, keys, arguments);
    }

    /** Renews a lock, brings it back if the server may have forgotten it, and keeps its fencing token. */
    public ScriptCall<RenewReply> reclaim(RenewCommand command, @Nullable ServerHistory history) {
        LockKeys keys = keySpace.keysOf(command.key());
        return ScriptCall.ofRenewal(
                LockScript.RECLAIM,
                history == null
                        ? new String[] {keys.lock(), keys.fence()}
                        : new String[] {keys.lock(), keys.fence(), history.key()},
                history == null ? ABSENT : history.known(),
                history == null ? ABSENT : history.terms().graceMillis(),
                history == null ? ABSENT : history.terms().quietMillis(),
                command.token().value(),
                Milliseconds.text(command.lease()),
                Long.toString(command.fencingToken()));
    }

    public ScriptCall<Long> release(ReleaseCommand command) {
        LockKeys keys = keySpace.keysOf(command.key());
        return ScriptCall.ofStatus(
                LockScript.RELEASE,
                keys.all(),
                trimmed(
                        command.token().value(),
                        Long.toString(command.fencingToken()),
                        command.requeue().isPresent()
                                ? Milliseconds.text(command.requeue().get())
                                : ABSENT,
                        keys.name(),
                        counting));
    }

    public ScriptCall<Long> withdraw(WithdrawCommand command) {
        LockKeys keys = keySpace.keysOf(command.key());
        return ScriptCall.ofStatus(
                LockScript.WITHDRAW,
                new String[] {keys.lock(), keys.waiters()},
                trimmed(command.token().value(), keys.name(), counting));
    }

    public ScriptCall<List<String>> inspect(LockKeys keys, @Nullable ServerHistory history) {
        String[] arguments = history == null
                ? new String[0]
                : new String[] {history.known(), history.terms().graceMillis()};
        return ScriptCall.ofTexts(LockScript.INSPECT, keys(keys, history), arguments);
    }

    public ScriptCall<Long> revoke(String key, long fencingToken) {
        LockKeys keys = keySpace.keysOf(key);
        return ScriptCall.ofStatus(
                LockScript.REVOKE, keys.all(), trimmed(Long.toString(fencingToken), keys.name(), counting));
    }

    /** Writes what was granted once more. */
    public ScriptCall<Long> confirm(String lock, LockToken token) {
        return ScriptCall.ofStatus(LockScript.CONFIRM, new String[] {lock}, token.value());
    }

    /**
     * Forgets the last fencing token, or a marker, unless another one was written since: to the release script that is
     * a lock too, whose owner is the text it holds.
     */
    public ScriptCall<Long> forget(String key, String text, LockKeys keys) {
        return ScriptCall.ofStatus(LockScript.RELEASE, new String[] {key, key, keys.waiters()}, text, "0");
    }

    private static String[] arguments(
            AcquireCommand command, String name, @Nullable ServerHistory history, String votes) {
        String token = command.token().value();
        String lease = Milliseconds.text(command.lease());
        String floor = Long.toString(command.fencingFloor());
        String block = Integer.toString(command.fencingTokens());
        String known = history == null ? ABSENT : history.known();
        String grace = history == null ? ABSENT : history.terms().graceMillis();
        if (command.waiting().isEmpty()) {
            return trimmed(token, lease, floor, block, known, grace, ABSENT, ABSENT, ABSENT, votes);
        }
        Waiting waiting = command.waiting().get();
        String position = waiting.position() == Waiting.NEW ? ABSENT : Long.toString(waiting.position());
        return trimmed(
                token, lease, floor, block, known, grace, Milliseconds.text(waiting.patience()), position, name, votes);
    }

    /** Each argument costs the server time: those absent at the end are not sent. */
    private static String[] trimmed(String... arguments) {
        int present = arguments.length;
        while (arguments[present - 1].isEmpty()) {
            present--;
        }
        return present == arguments.length ? arguments : Arrays.copyOf(arguments, present);
    }
}
