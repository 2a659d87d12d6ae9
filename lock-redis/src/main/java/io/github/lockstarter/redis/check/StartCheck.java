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
import io.github.lockstarter.spi.Slots;
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
        this.renewScript = new RenewScript(keySpace, histories, failures);
        this.releaseScript = new ReleaseScript(runner, keySpace, connector.isCluster());
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
        RenewCommand longer = new RenewCommand(key, owner, LEASE.multipliedBy(2), fencingToken, 0);
        checkRenewal(renewScript.call(List.of(longer), old, old.known(), false));
        Object released = ask(release(new ReleaseCommand(
                        key, owner, fencingToken, new Wait.GoesOn(LEASE), Duration.ZERO, Slots.ONLY)))
                .get(0);
        ask(release(ReleaseCommand.endOfWait(key, waiter)));
        old.learn(marker);
        LockToken last = new LockToken(id, 3);
        long granted = grantByTheNote(key, new LockToken(id, 2), last, old);
        // To raise a fencing token keeps the expiry of the lock, which a server before version 6 cannot.
        long raised = acquire(new AcquireCommand(key, last, LEASE, granted, 1, waiting), old)
                .value();
        // What is the same for several locks is a command for all of them.
        ask(releaseScript.call(List.of(new ReleaseCommand(key, last, raised), new ReleaseCommand(key, owner, 0))));
        reclaim(new RenewCommand(key, last, LEASE, raised, 0), keys, old);
        if (released.equals(ReleaseScript.UNSIGNALLED)) {
            throw unavailable(failures.ofSilence());
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

    private ScriptCall attempt(AcquireCommand command, ServerHistory old) {
        return AcquireScript.call(List.of(command), keySpace, old, old.known(), false);
    }

    /** The script reports a missing right in its reply. */
    private AcquireScript.Reply granted(List<Object> parts) {
        AcquireScript.Reply reply = AcquireScript.Reply.ofOne(parts);
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
        String grace = checkRenewal(renewScript.call(List.of(command), young, young.known(), true))
                .marker();
        checkRenewal(RenewScript.expire(old.key(), grace, LEASE));
        ask(release(new ReleaseCommand(command.key(), command.token(), command.fencingToken())));
        ask(ReleaseScript.forget(old.key(), grace, keys));
        ask(ReleaseScript.forget(old.keyBefore(), followed, keys));
    }

    /** These scripts report a missing right in their reply. */
    private RenewScript.Reply checkRenewal(ScriptCall call) {
        RenewScript.Reply reply = RenewScript.Reply.of(ask(call));
        if (!reply.problem().isEmpty()) {
            throw unavailable(failures.ofError(reply.problem()));
        }
        return reply;
    }

    private ScriptCall release(ReleaseCommand command) {
        return releaseScript.call(List.of(command));
    }

    private static String newInstanceId() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    private List<Object> ask(ScriptCall call) {
        return answer(send(call));
    }

    private CompletionStage<Supplier<List<Object>>> send(ScriptCall call) {
        return runner.run(call, new Heard());
    }

    private static List<Object> answer(CompletionStage<Supplier<List<Object>>> sent) {
        return BlockingWait.awaitUninterruptibly(sent.toCompletableFuture()).get();
    }

    /** Why the server cannot be used. */
    public static RedisUnavailableException unavailable(RedisFailure failure) {
        return new RedisUnavailableException(failure.problem(), failure.remedy(), failure.cause());
    }

    /** Gives the reply, or throws the failure, to the caller. */
    private static final class Heard implements ScriptRunner.Reader<Supplier<List<Object>>> {

        @Override
        public Supplier<List<Object>> of(List<Object> reply, boolean isRepeated) {
            return () -> reply;
        }

        @Override
        public Supplier<List<Object>> failed(RedisFailure failure) {
            return () -> {
                throw unavailable(failure);
            };
        }
    }
}
