package io.github.lockstarter.redis;

import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.spi.AcquireCommand;
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

    /** Status of renew and release: the token does not have the lock. */
    static final long NOT_HELD = 0;

    private static final int FENCE_MEMORY_IN_LEASES = 3;

    /** How many instances a release tries to signal before it leaves the rest to their own re-check. */
    private static final String SIGNAL_TRIES = "16";

    private final KeySpace keySpace;
    private final Duration fenceMemory;

    /** Calls that have the server remember the last fencing token of a key for some leases, and at least this long. */
    LockCalls(KeySpace keySpace, Duration fenceMemory) {
        this.keySpace = keySpace;
        this.fenceMemory = fenceMemory;
    }

    ScriptCall<List<Long>> acquire(AcquireCommand command, LockKeys keys) {
        String[] attempt = {
            command.token().value(),
            millis(command.lease()),
            Long.toString(command.fencingFloor()),
            millis(memoryFor(command.lease())),
            Integer.toString(command.fencingTokens())
        };
        return ScriptCall.ofNumbers(
                LockScript.ACQUIRE,
                new String[] {keys.lock(), keys.fence(), keys.waiters()},
                command.waiting()
                        .map(waiting -> append(
                                attempt,
                                millis(waiting.patience()),
                                Long.toString(waiting.position()),
                                keySpace.mailboxes(),
                                keys.payload()))
                        .orElse(attempt));
    }

    ScriptCall<Long> renew(RenewCommand command) {
        return ScriptCall.ofStatus(
                LockScript.RENEW,
                new String[] {keySpace.keysOf(command.key()).lock()},
                command.token().value(),
                millis(command.lease()));
    }

    ScriptCall<Long> release(ReleaseCommand command) {
        LockKeys keys = keySpace.keysOf(command.key());
        String[] hold = {
            command.token().value(),
            Long.toString(command.fencingToken()),
            keySpace.mailboxes(),
            keys.payload(),
            SIGNAL_TRIES
        };
        return ScriptCall.ofStatus(
                LockScript.RELEASE,
                new String[] {keys.lock(), keys.fence(), keys.waiters()},
                command.requeue()
                        .map(patience -> append(hold, millis(patience)))
                        .orElse(hold));
    }

    ScriptCall<Long> withdraw(WithdrawCommand command) {
        LockKeys keys = keySpace.keysOf(command.key());
        return ScriptCall.ofStatus(
                LockScript.WITHDRAW,
                new String[] {keys.lock(), keys.waiters()},
                command.token().value(),
                command.token().instanceId(),
                keySpace.mailboxes(),
                keys.payload(),
                SIGNAL_TRIES);
    }

    private Duration memoryFor(Duration lease) {
        Duration leases = lease.multipliedBy(FENCE_MEMORY_IN_LEASES);
        return leases.compareTo(fenceMemory) > 0 ? leases : fenceMemory;
    }

    private static String[] append(String[] arguments, String... more) {
        String[] all = Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return all;
    }

    /** Rounded up: the server must not end a lease before its owner does. */
    private static String millis(Duration duration) {
        return Long.toString(duration.plusNanos(999_999).toMillis());
    }
}
