package io.github.lockstarter.redis;

import io.github.lockstarter.redis.CallQueue.Sender;
import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.redis.ScriptRunner.Reader;
import io.github.lockstarter.redis.ScriptRunner.Signals;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.settings.RedisSettings.KeyLayout;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sends releases, and reads the replies of {@code release.lua} and {@code release_read.lua}.
 * <p>Publishes the signals that the server refuses to scripts, behind the release, whose caller does not wait for it.
 * If the instance has no subscriber, the next one is signalled. A signal that gets lost costs a waiter its delay.
 */
record ReleaseScript(ScriptRunner runner, KeySpace keySpace) implements Sender<ReleaseCommand, ReleaseResult> {

    private static final long SIGNALLED = 3;

    /** Difference to the status of a lock whose signal failed. */
    private static final long AS_SIGNALLED = 1;

    static final long NOT_HELD = 0;

    static final String ENDS = "ends";

    private static final int SINGLE_LOCK_ARGUMENTS = 4;

    private static final long FREE = -1;

    static final long DONE = 1;

    /** Replaces the owner's token while a lock is kept for the rest of its minimum hold. */
    static final String KEPT = "%kept";

    /** Factor of the remaining milliseconds in a reply; the status is the remainder. */
    private static final long PER_MILLISECOND = 4;

    /** Of shards, {@code PUBLISH} counts only listeners of its own. */
    static String counting(KeySpace keySpace) {
        return keySpace.isPerSlot() ? "uncounted" : ScriptCall.ABSENT;
    }

    @Override
    public boolean isCollected(ReleaseCommand command) {
        return keySpace.layout() == KeyLayout.STANDALONE
                && command.slots().count() == 1
                && !isOfReader(command)
                && command.ownWait() instanceof Wait.Unchanged
                && command.minHold().isZero();
    }

    @Override
    public CompletionStage<List<ReleaseResult>> send(List<ReleaseCommand> commands) {
        ReleaseCommand first = commands.get(0);
        ScriptCall call = isOfReader(first)
                ? ofReader(
                        keySpace,
                        first.key(),
                        first.token().value(),
                        ScriptCall.ABSENT,
                        first.requeue().map(ScriptCall::millis).orElse(ScriptCall.ABSENT))
                : call(commands);
        return run(runner, call, new Statuses(commands));
    }

    /**
     * Sends a call of the script.
     *
     * @param answer reads statuses, all of them numbers
     */
    static <R> CompletionStage<R> run(ScriptRunner runner, ScriptCall call, Reader<R> answer) {
        return runner.run(call, new Signalling<>(runner, call, answer));
    }

    static boolean isOfReader(ReleaseCommand command) {
        return Slots.OF_READERS.contains(command.slots().from());
    }

    /**
     * For all slots of readers, since the last one frees the lock.
     *
     * @param purpose of a revocation; else absent
     * @param requeue patience of an instance that goes on waiting; else absent
     */
    static ScriptCall ofReader(KeySpace keySpace, String key, String token, String purpose, String requeue) {
        LockKeys lock = keySpace.keysOf(key);
        String[] keys = Stream.concat(
                        KeySpace.slotsOf(lock.lock(), Slots.OF_READERS).stream(),
                        Stream.of(lock.lock(), lock.waiters()))
                .toArray(String[]::new);
        return new ScriptCall(LockScript.RELEASE_READ, keys, token, lock.name(), counting(keySpace), purpose, requeue);
    }

    /** Releases the one of several slots that the token holds, in one call. */
    public CompletionStage<ReleaseResult> sendToAll(ReleaseCommand command) {
        Slots slots = command.slots();
        List<ReleaseCommand> each = IntStream.range(slots.from(), slots.from() + slots.count())
                .mapToObj(slot -> command.releasing(Slots.one(slot)))
                .toList();
        return send(each).thenApply(results -> results.stream()
                .filter(result ->
                        !(result instanceof ReleaseResult.NotHeld || result instanceof ReleaseResult.FoundFree))
                .findFirst()
                .orElse(results.get(0)));
    }

    /**
     * Several commands must be immediate releases that leave the queue unchanged; in a cluster, of slots of one lock.
     */
    private ScriptCall call(List<ReleaseCommand> commands) {
        int count = commands.size();
        String[] keys = new String[2 * count];
        String[] arguments = new String[2 * count + SINGLE_LOCK_ARGUMENTS];
        Arrays.fill(arguments, ScriptCall.ABSENT);
        for (int i = 0; i < count; i++) {
            LockKeys lock = keySpace.keysOf(commands.get(i).key());
            keys[i] = KeySpace.slotOf(lock.lock(), commands.get(i).slots().from());
            keys[count + i] = lock.waiters();
            arguments[2 * i] = commands.get(i).token().value();
            arguments[2 * i + 1] = lock.name();
        }
        ReleaseCommand first = commands.get(0);
        arguments[2 * count] = counting(keySpace);
        arguments[2 * count + 1] = first.ownWait() instanceof Wait.Ends ends
                ? ENDS + ends.position()
                : first.requeue().map(ScriptCall::millis).orElse(ScriptCall.ABSENT);
        if (!first.minHold().isZero()) {
            arguments[2 * count + 2] = ScriptCall.millis(first.minHold());
            arguments[2 * count + 3] = Long.toString(first.fencingToken());
        }
        return new ScriptCall(LockScript.RELEASE, keys, arguments);
    }

    /** Publishes what the script could not, and answers as if it had. */
    private record Signalling<R>(ScriptRunner runner, ScriptCall call, Reader<R> answer) implements Reader<R> {

        private static final Reader<Boolean> IGNORED = new Reader<>() {

            @Override
            public Boolean of(List<Object> reply, boolean repeated) {
                return true;
            }

            @Override
            public Boolean failed(RedisFailure failure) {
                return false;
            }
        };

        @Override
        public R of(List<Object> reply, boolean repeated) {
            List<Object> statuses = reply;
            for (int i = 0; i < reply.size(); i++) {
                if (reply.get(i) instanceof String unsent) {
                    statuses = statuses == reply ? new ArrayList<>(reply) : statuses;
                    statuses.set(i, published(i, unsent));
                } else if (runner.signals() != Signals.BY_SCRIPT
                        && reply.get(i) instanceof Long status
                        && status % PER_MILLISECOND == SIGNALLED) {
                    runner.resetSignals();
                }
            }
            return answer.of(statuses, repeated);
        }

        /** {@return the status of a lock} */
        private long published(int i, String unsent) {
            int space = unsent.indexOf(' ');
            for (String line : unsent.substring(space + 1).split("\n", -1)) {
                String[] parts = line.split(" ", 2);
                publish(i, parts[0], parts[1]);
            }
            return Long.parseLong(unsent, 0, space, 10) + (runner.signals() == Signals.NONE ? 0 : AS_SIGNALLED);
        }

        private void publish(int i, String instance, String message) {
            CompletionStage<Void> unused = runner.publish(call.key(), call.mailboxOf(instance), message)
                    .thenAccept(subscribers -> {
                        if (subscribers == 0) {
                            call.withoutWaiter(i, instance).ifPresent(next -> run(runner, next, IGNORED));
                        }
                    });
        }

        @Override
        public @Nullable Throwable refusalIn(List<Object> reply) {
            return answer.refusalIn(reply);
        }

        @Override
        public R failed(RedisFailure failure) {
            return answer.failed(failure);
        }
    }

    private record Statuses(List<ReleaseCommand> commands) implements Reader<List<ReleaseResult>> {

        @Override
        public List<ReleaseResult> of(List<Object> statuses, boolean repeated) {
            if (statuses.size() != commands.size()) {
                throw new IllegalArgumentException("Not a reply for " + commands.size() + " locks");
            }
            List<ReleaseResult> results = new ArrayList<>(statuses.size());
            for (int i = 0; i < statuses.size(); i++) {
                Long status = (Long) statuses.get(i);
                results.add(repeated ? ofRepeated(commands.get(i).token(), status) : of(status));
            }
            return results;
        }

        private static ReleaseResult of(long reply) {
            long status = reply % PER_MILLISECOND;
            long rest = reply / PER_MILLISECOND;
            int signalled = status == SIGNALLED ? 1 : 0;
            if (reply == FREE || status == NOT_HELD) {
                return new ReleaseResult.NotHeld();
            }
            return rest == 0
                    ? new ReleaseResult.Released(signalled)
                    : new ReleaseResult.Kept(Duration.ofMillis(rest), signalled);
        }

        /**
         * A lock that a second copy finds free may have been released by the first, unless it may have been taken over.
         */
        private static ReleaseResult ofRepeated(LockToken token, long reply) {
            if (reply == FREE && token.takeoverMillis() == 0) {
                return new ReleaseResult.Released(0);
            }
            ReleaseResult result = of(reply);
            return result instanceof ReleaseResult.NotHeld ? new ReleaseResult.FoundFree() : result;
        }

        @Override
        public List<ReleaseResult> failed(RedisFailure failure) {
            return Collections.nCopies(commands.size(), new ReleaseResult.Unknown(failure.problem(), failure.cause()));
        }
    }
}
