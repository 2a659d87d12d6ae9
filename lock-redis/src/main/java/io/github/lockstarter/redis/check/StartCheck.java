package io.github.lockstarter.redis.check;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.ClientHistories;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.redis.script.AcquireScript;
import io.github.lockstarter.redis.script.AcquireScript.Answer;
import io.github.lockstarter.redis.script.AdminScripts;
import io.github.lockstarter.redis.script.ReleaseScript;
import io.github.lockstarter.redis.script.RenewScript;
import io.github.lockstarter.redis.script.ScriptCall;
import io.github.lockstarter.redis.script.ScriptRunner;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.RenewCommand;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Takes a lock of its own through its whole life, so that a missing right or an unfit server shows when the
 * application starts. What it leaves behind ends by itself. The marker it looks at is its own, and says nothing of
 * the locks of the application.
 */
public final class StartCheck {

    /** Names of the locks, in front of an instance. */
    private static final String KEY = "lock-starter:start-check:";

    private static final Duration LEASE = Duration.ofSeconds(5);

    /** Old enough for grants from the first moment on. */
    private static final ServerHistory.Terms OLD = ServerHistory.Terms.of(Duration.ZERO, Duration.ZERO, FirstUse.GRANT);

    /** Too young for them, and no server is trusted. */
    private static final ServerHistory.Terms YOUNG =
            ServerHistory.Terms.of(Duration.ofHours(1), Duration.ZERO, FirstUse.GRACE);

    private final ScriptRunner runner;
    private final KeySpace keySpace;
    private final RenewScript renewScript;
    private final ReleaseScript releaseScript;
    private final ClientHistories histories;
    private final RedisExceptionTranslator failures;

    public StartCheck(
            ScriptRunner runner,
            ClientHistories histories,
            RedisExceptionTranslator failures,
            RedisConnector connector,
            RedisSettings settings) {
        this.runner = runner;
        this.keySpace = KeySpace.of(settings.keyPrefix(), connector.isCluster());
        this.renewScript = new RenewScript(keySpace);
        this.releaseScript = new ReleaseScript(keySpace, connector);
        this.histories = histories;
        this.failures = failures;
    }

    /**
     * Runs the scripts so that every command they have is called.
     *
     * @throws RedisUnavailableException when one fails
     */
    public void run() {
        String id = newInstanceId();
        String key = KEY + id;
        LockKeys keys = keySpace.keysOf(key);
        checkLayout(keys);
        ServerHistory old = new ServerHistory(keys.lock() + ":history", OLD);
        LockToken owner = new LockToken(id, 1);
        LockToken waiter = new LockToken(newInstanceId(), 1);
        Optional<Waiting> waiting = Optional.of(new Waiting(Waiting.NEW, LEASE));
        String marker = acquire(new AcquireCommand(key, owner, LEASE, 0, 1, waiting), old)
                .marker();
        checkRenewal(RenewScript.expire(old.key(), marker, LEASE));
        acquire(new AcquireCommand(key, waiter, LEASE, 0, 1, waiting), old);
        // A grant looks for its own instance in the queue only if it is not empty, and if the command names a position.
        Optional<Waiting> placed = Optional.of(new Waiting(1, LEASE));
        long fencingToken = acquire(new AcquireCommand(key, owner, LEASE, 0, 1, placed), old)
                .value();
        checkRenewal(renewScript.renew(
                List.of(new RenewCommand(key, owner, LEASE.multipliedBy(2), fencingToken)), old, old.known()));
        Object released = ask(release(
                        new ReleaseCommand(key, owner, fencingToken, new Wait.GoesOn(LEASE), Duration.ZERO)))
                .get(0);
        ask(release(ReleaseCommand.endOfWait(key, waiter)));
        old.learn(marker);
        LockToken last = new LockToken(id, 3);
        long granted = grantByTheNote(key, new LockToken(id, 2), last, old);
        // To raise a fencing token keeps the expiry of the lock, which a server before version 6 cannot.
        long raised = acquire(new AcquireCommand(key, last, LEASE, granted, 1, waiting), old)
                .value();
        // What is the same for several locks is a command for all of them.
        ask(releaseScript.release(List.of(new ReleaseCommand(key, last, raised), new ReleaseCommand(key, owner, 0))));
        reclaim(new RenewCommand(key, last, LEASE, raised), keys, old);
        if (released.equals(ReleaseScript.UNSIGNALLED)) {
            throw unavailable(failures.ofSilence());
        }
    }

    /**
     * Versions before the one fencing counter stored locks otherwise: beside them, fencing tokens would not always
     * grow. In a cluster, looks at the marker of one slot only.
     */
    private void checkLayout(LockKeys keys) {
        ServerHistory history = histories.of(keys.lock());
        String marker = AdminScripts.markerIn(ask(AdminScripts.inspect(keys, history)));
        if (ServerHistory.isOfEarlierLayout(marker)) {
            throw new RedisUnavailableException(
                    "Redis key '" + history.key()
                            + "' was written by an earlier version of lock-starter, which must not"
                            + " share a key prefix with this one",
                    "Stop all instances of that version and delete this key, or choose another"
                            + " distributed-lock.key-prefix",
                    new IllegalStateException("Layout of the keys: " + marker));
        }
    }

    /** A grant leaves a note; the next one follows while it stands, and so adds to the counter. */
    private long grantByTheNote(String key, LockToken first, LockToken next, ServerHistory old) {
        Optional<Waiting> none = Optional.empty();
        CompletionStage<Supplier<List<Object>>> noted =
                send(attempt(new AcquireCommand(key, first, LEASE, 0, 1, none), old));
        CompletionStage<Supplier<List<Object>>> freed = send(release(new ReleaseCommand(key, first, 0)));
        CompletionStage<Supplier<List<Object>>> counted =
                send(attempt(new AcquireCommand(key, next, LEASE, 0, 1, none), old));
        answer(noted);
        answer(freed);
        return granted(answer(counted)).value();
    }

    private AcquireScript.Reply acquire(AcquireCommand command, ServerHistory old) {
        return granted(ask(attempt(command, old)));
    }

    private ScriptCall<List<Object>> attempt(AcquireCommand command, ServerHistory old) {
        return AcquireScript.acquire(
                List.of(command), List.of(Answer.to(keySpace.keysOf(command.key()), old, failures)));
    }

    /** The script reports a missing right in its reply. */
    private AcquireScript.Reply granted(List<Object> parts) {
        AcquireScript.Reply reply = AcquireScript.Reply.of(parts);
        if (reply.isRefusal()) {
            throw unavailable(failures.ofError(reply.marker()));
        }
        return reply;
    }

    /** Also finds out whether the server names its histories, which is no reason not to start. */
    private void reclaim(RenewCommand command, LockKeys keys, ServerHistory old) {
        histories.found(old);
        ServerHistory young = new ServerHistory(old.key(), YOUNG);
        String followed = old.known();
        String grace =
                checkRenewal(renewScript.reclaim(command, young, young.known())).marker();
        checkRenewal(RenewScript.expire(old.key(), grace, LEASE));
        ask(release(new ReleaseCommand(command.key(), command.token(), command.fencingToken())));
        ask(ReleaseScript.forget(old.key(), grace, keys));
        ask(ReleaseScript.forget(old.keyBefore(), followed, keys));
    }

    /** These scripts report a missing right in their reply. */
    private RenewScript.Reply checkRenewal(ScriptCall<List<Object>> call) {
        RenewScript.Reply reply = RenewScript.Reply.of(ask(call));
        if (!reply.problem().isEmpty()) {
            throw unavailable(failures.ofError(reply.problem()));
        }
        return reply;
    }

    private ScriptCall<List<Object>> release(ReleaseCommand command) {
        return releaseScript.release(List.of(command));
    }

    private static String newInstanceId() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    private <T> T ask(ScriptCall<T> call) {
        return answer(send(call));
    }

    private <T> CompletionStage<Supplier<T>> send(ScriptCall<T> call) {
        return runner.run(call, new Heard<T>());
    }

    private static <T> T answer(CompletionStage<Supplier<T>> sent) {
        return BlockingWait.awaitUninterruptibly(sent.toCompletableFuture()).get();
    }

    /** Why the server cannot be used. */
    public static RedisUnavailableException unavailable(RedisFailure failure) {
        return new RedisUnavailableException(failure.problem(), failure.remedy(), failure.cause());
    }

    /** Gives the reply, or throws the failure, to the caller. */
    private static final class Heard<T> implements ScriptRunner.Reader<T, Supplier<T>> {

        @Override
        public Supplier<T> of(T reply) {
            return () -> reply;
        }

        @Override
        public Supplier<T> failed(RedisFailure failure) {
            return () -> {
                throw unavailable(failure);
            };
        }
    }
}
