package io.github.lockstarter.redis.replica;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.redis.connection.LinkCallback;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.script.ReleaseScript;
import io.github.lockstarter.redis.script.ScriptCall;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Waits until enough replicas have a grant, before its caller gets the lock. {@code WAIT} blocks its connection, and
 * counts replicas for what that very connection wrote. So each server has a connection for this alone, which writes
 * each grant once more, if the lock is still there, and then waits for all of them together, in rounds: what is granted
 * during a round is in the next one. A server that did not grant the lock, such as one that was promoted since, does
 * not have it, or has it for good.
 *
 * <p>A {@code WAIT} that the client sends again on a new connection waits for nothing, since that connection wrote
 * nothing. So its answer counts only if the connection did not break since the writes. Otherwise the grants are in the
 * next round, as those are that too few replicas have, until their time is over.
 *
 * <p>Any thread calls; rounds end on the event loop, or on a thread of the client's timer where no answer comes.
 * {@code lock} guards {@code queues}: per server with a round under way, the grants of the next one. Nothing blocks.
 */
public final class ReplicaAcknowledgements implements AutoCloseable {

    /** How late an answer to {@code WAIT} may be: servers look at its timeout about ten times a second. */
    private static final long LATENESS_MILLIS = 250;

    private final RedisConnections connections;
    private final KeySpace keySpace;
    private final RedisExceptionTranslator failures;
    private final RedisSettings settings;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<RedisLink, List<Grant>> queues = new HashMap<>();

    /**
     * Waits for nothing yet.
     *
     * @param connections for this alone
     * @param keySpace what the keys are called
     * @param failures reads what servers say
     * @param settings how many replicas are enough, and how long to wait for them
     */
    public ReplicaAcknowledgements(
            RedisConnections connections,
            KeySpace keySpace,
            RedisExceptionTranslator failures,
            RedisSettings settings) {
        this.connections = connections;
        this.keySpace = keySpace;
        this.failures = failures;
        this.settings = settings;
    }

    /** As {@link RedisConnections#start}. */
    public void start() {
        connections.start();
    }

    /** As {@link RedisConnections#stop}. */
    public void stop() {
        connections.stop();
    }

    @Override
    public void close() {
        connections.close();
    }

    /** How many replicas are enough. */
    public int wanted() {
        return settings.minReplicas();
    }

    /**
     * Passes a result on, a grant as soon as it is acknowledged. One that is not may be on the server: it is not known.
     */
    public CompletionStage<AcquireResult> check(AcquireCommand command, AcquireResult result) {
        if (!(result instanceof AcquireResult.Granted)) {
            return CompletableFuture.completedFuture(result);
        }
        return of(command.key(), command.token())
                .thenApply(shortfall -> shortfall.isEmpty()
                        ? result
                        : new AcquireResult.Unknown(
                                shortfall.get().problem(), shortfall.get().cause()));
    }

    /**
     * Waits until a lock that was granted is on enough replicas.
     *
     * @param key of the lock
     * @param token that was granted the lock
     * @return empty as soon as it is; else why it may not be
     */
    public CompletableFuture<Optional<RedisFailure>> of(String key, LockToken token) {
        String lockKey = keySpace.lockOf(key);
        Grant grant = new Grant(ReleaseScript.confirm(lockKey, token));
        RedisLink link = connections.current(lockKey);
        if (link != null) {
            grant.onOpen(link);
        } else {
            connections.whenOpen(lockKey, grant);
        }
        return grant;
    }

    private void enqueue(RedisLink link, Grant grant) {
        lock.lock();
        try {
            List<Grant> queue = queues.get(link);
            if (queue != null) {
                queue.add(grant);
                return;
            }
            queues.put(link, new ArrayList<>());
        } finally {
            lock.unlock();
        }
        new Round(link, List.of(grant)).begin();
    }

    /** A round is over: begins the next one, with the grants that have time left and with those that came meanwhile. */
    private void next(RedisLink link, List<Grant> again) {
        List<Grant> grants = new ArrayList<>(again);
        lock.lock();
        try {
            grants.addAll(queues.getOrDefault(link, List.of()));
            if (grants.isEmpty()) {
                queues.remove(link);
                return;
            }
            queues.put(link, new ArrayList<>());
        } finally {
            lock.unlock();
        }
        new Round(link, grants).begin();
    }

    private RedisFailure shortfall(long acknowledged) {
        String count = acknowledged + " of the " + wanted() + " replicas that must acknowledge it did so within "
                + DurationText.exactly(settings.acknowledgementTime());
        return failure(
                " granted the lock, but only " + count + ", so the lock is released",
                "Bring the replicas back (INFO replication), or lower distributed-lock.redis.min-replicas",
                count);
    }

    /** The server that was asked for the replicas does not have the lock. */
    private RedisFailure vanished() {
        return failure(
                " no longer had the lock when its replicas should have acknowledged it",
                "The lock ended meanwhile, or another server was promoted; try again",
                "the lock is gone");
    }

    /** The connection broke in each round, or in the last one that there was time for. */
    private RedisFailure broken() {
        return failures.ofExecuting(new RedisException("the client opened it again before WAIT was answered"));
    }

    private RedisFailure failure(String problem, String remedy, String cause) {
        return new RedisFailure(
                RedisFailure.Effect.UNKNOWN, failures.place() + problem, remedy, new RedisException(cause));
    }

    /** A grant that is to be acknowledged. {@code until} is set before the first round. */
    private final class Grant extends CompletableFuture<Optional<RedisFailure>> implements LinkCallback {

        private final ScriptCall<Long> confirmation;
        private long until;

        Grant(ScriptCall<Long> confirmation) {
            this.confirmation = confirmation;
        }

        @Override
        public void onOpen(RedisLink link) {
            until = System.nanoTime() + settings.acknowledgementTime().toNanos();
            enqueue(link, this);
        }

        @Override
        public void onFailure(Throwable failure) {
            fail(failures.ofConnecting(failure));
        }

        long leftMillis() {
            return TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        }

        void fail(RedisFailure failure) {
            complete(Optional.of(failure));
        }
    }

    /** The writes of some grants, and the {@code WAIT} behind them. Ends once, with the answer to that. */
    private final class Round {

        private final RedisLink link;
        private final List<Grant> grants;
        private final int breaksBefore;
        private final List<AsyncCommand<String, String, Long>> writes = new ArrayList<>();

        Round(RedisLink link, List<Grant> grants) {
            this.link = link;
            this.grants = grants;
            this.breaksBefore = link.breaksCounted();
        }

        /** Never throws: a round that neither begins nor ends would keep every later one from beginning. */
        void begin() {
            try {
                grants.forEach(grant -> writes.add(grant.confirmation.byText()));
                AsyncCommand<String, String, Long> wait = waitCommand();
                wait.onComplete(this::end);
                dispatch(wait);
            } catch (Throwable e) {
                RedisFailure unprepared = failures.ofPreparing(e);
                grants.forEach(grant -> grant.fail(unprepared));
                next(link, List.of());
            }
        }

        private void dispatch(AsyncCommand<String, String, Long> wait) {
            try {
                StatefulConnection<String, String> connection = link.toServer();
                if (connection == null) {
                    throw new RedisException("no connection to the server");
                }
                expire(wait, connection);
                List<RedisCommand<String, String, ?>> all = new ArrayList<>(writes);
                all.add(wait);
                connection.dispatch(all);
            } catch (Throwable e) {
                wait.completeExceptionally(e);
            }
        }

        /** As short as its oldest grant needs, but not zero, which would wait for ever. */
        private AsyncCommand<String, String, Long> waitCommand() {
            CommandArgs<String, String> args =
                    new CommandArgs<>(StringCodec.UTF8).add(wanted()).add(millis());
            return new AsyncCommand<>(new Command<>(CommandType.WAIT, new IntegerOutput<>(StringCodec.UTF8), args));
        }

        private long millis() {
            return Math.max(
                    1, grants.stream().mapToLong(Grant::leftMillis).min().orElse(0));
        }

        /** Sooner than the client does, which waits for each answer for the whole command timeout. */
        private void expire(AsyncCommand<?, ?, ?> wait, StatefulConnection<?, ?> connection) {
            Future<?> expiry = connection
                    .getResources()
                    .eventExecutorGroup()
                    .schedule(
                            () -> wait.completeExceptionally(new RedisCommandTimeoutException("No answer to WAIT")),
                            millis() + LATENESS_MILLIS,
                            TimeUnit.MILLISECONDS);
            wait.onComplete((acknowledged, failure) -> expiry.cancel(false));
        }

        private void end(@Nullable Long acknowledged, @Nullable Throwable failure) {
            boolean broken = link.breaks() != breaksBefore;
            List<Grant> again = new ArrayList<>();
            try {
                link.recordReply(refusalOf(writes.get(0), failure)); // WAIT does not say that a server was demoted
                for (int i = 0; i < grants.size(); i++) {
                    Grant grant = grants.get(i);
                    Throwable refusal = refusalOf(writes.get(i), failure);
                    if (refusal != null) {
                        grant.fail(failures.ofExecuting(refusal));
                    } else if (writes.get(i).getNow(ReleaseScript.NOT_HELD) == ReleaseScript.NOT_HELD) {
                        grant.fail(vanished());
                    } else if (!broken && acknowledged != null && acknowledged >= wanted()) {
                        grant.complete(Optional.empty());
                    } else if (grant.leftMillis() > 0) {
                        again.add(grant);
                    } else {
                        grant.fail(broken ? broken() : shortfall(acknowledged == null ? 0 : acknowledged));
                    }
                }
            } catch (Throwable e) {
                RedisFailure unread = failures.ofReply(e);
                grants.forEach(grant -> grant.fail(unread));
            }
            next(link, again);
        }

        /** Why a write, or the {@code WAIT} behind it, came to nothing; null if neither did. */
        private static @Nullable Throwable refusalOf(
                AsyncCommand<String, String, Long> write, @Nullable Throwable failure) {
            return write.isCompletedExceptionally()
                    ? write.handle((held, refusal) -> refusal).getNow(failure)
                    : failure;
        }
    }
}
