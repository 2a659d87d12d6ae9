package io.github.lockstarter.redis;

import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.WithdrawCommand;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Turns commands into calls of scripts: the one place that knows the order of their keys and arguments. */
final class LockCalls {

    /** Status of release and withdraw: done, and a waiter was signalled. */
    static final long SIGNALLED = 3;

    /** Status of release and withdraw: done, but the next waiter could not be signalled. */
    static final long UNSIGNALLED = 2;

    /** Status of release: the token does not have the lock. */
    static final long NOT_HELD = 0;

    /** In place of an argument that is absent, where another one follows. */
    private static final String ABSENT = "";

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
    LockCalls(KeySpace keySpace, RedisConnector servers) {
        this.keySpace = keySpace;
        this.counting = servers.isCluster() ? UNCOUNTED : ABSENT;
    }

    ScriptCall<AcquireReply> acquire(AcquireCommand command, LockKeys keys) {
        return ScriptCall.ofAcquire(keys.all(), arguments(command, keys.name()));
    }

    /** One call for all of them. */
    ScriptCall<String> renew(List<RenewCommand> commands) {
        String[] keys = new String[commands.size()];
        String[] arguments = new String[2 * keys.length];
        Duration lease = Duration.ZERO;
        String leaseMillis = millis(lease);
        for (int i = 0; i < keys.length; i++) {
            RenewCommand command = commands.get(i);
            if (!command.lease().equals(lease)) { // rarely: most locks have the same
                lease = command.lease();
                leaseMillis = millis(lease);
            }
            keys[i] = keySpace.lockOf(command.key());
            arguments[2 * i] = command.token().value();
            arguments[2 * i + 1] = leaseMillis;
        }
        return ScriptCall.ofText(LockScript.RENEW, keys, arguments);
    }

    ScriptCall<Long> release(ReleaseCommand command) {
        LockKeys keys = keySpace.keysOf(command.key());
        return ScriptCall.ofStatus(
                LockScript.RELEASE,
                keys.all(),
                trimmed(
                        command.token().value(),
                        Long.toString(command.fencingToken()),
                        command.requeue().isPresent() ? millis(command.requeue().get()) : ABSENT,
                        keys.name(),
                        counting));
    }

    ScriptCall<Long> withdraw(WithdrawCommand command) {
        LockKeys keys = keySpace.keysOf(command.key());
        return ScriptCall.ofStatus(
                LockScript.WITHDRAW,
                new String[] {keys.lock(), keys.waiters()},
                trimmed(command.token().value(), keys.name(), counting));
    }

    /**
     * Forgets the last fencing token, unless another one was granted since: to the release script the counter is a lock
     * too, whose owner is the token it holds.
     */
    ScriptCall<Long> forget(LockKeys keys, long fencingToken) {
        return ScriptCall.ofStatus(
                LockScript.RELEASE,
                new String[] {keys.fence(), keys.fence(), keys.waiters()},
                Long.toString(fencingToken),
                "0");
    }

    private static String[] arguments(AcquireCommand command, String name) {
        String token = command.token().value();
        String lease = millis(command.lease());
        String floor = Long.toString(command.fencingFloor());
        String block = Integer.toString(command.fencingTokens());
        if (command.waiting().isEmpty()) {
            return new String[] {token, lease, floor, block};
        }
        Waiting waiting = command.waiting().get();
        String position = waiting.position() == Waiting.NEW ? ABSENT : Long.toString(waiting.position());
        return trimmed(token, lease, floor, block, millis(waiting.patience()), position, name);
    }

    /** Each argument costs the server time: those absent at the end are not sent. */
    private static String[] trimmed(String... arguments) {
        int present = arguments.length;
        while (arguments[present - 1].isEmpty()) {
            present--;
        }
        return present == arguments.length ? arguments : Arrays.copyOf(arguments, present);
    }

    /** Rounded up: the server must not end a lease before its owner does. */
    private static String millis(Duration duration) {
        return Long.toString(duration.plusNanos(999_999).toMillis());
    }
}
