package io.github.lockstarter.redis.replica;

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
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sees to it that what was granted is on enough replicas before anybody is told. {@code WAIT} blocks its connection,
 * and speaks for what that very connection wrote. So each server has a connection for this alone, which writes each
 * grant once more, if the lock is still there, and then waits for all of them together, in rounds: what is granted
 * during a round is in the next one. A server that did not grant the lock, such as one that was promoted since, does
 * not have it, or has it for good.
 *
 * <p>Any thread calls; rounds end on the event loop or, where no answer comes, on a thread of the client's timer.
 * {@code lock} guards {@code queues}: per server with a round under way, who waits for the next one. Nothing blocks.
 */
public final class ReplicaAcknowledgements implements AutoCloseable {

    /** How late an answer to {@code WAIT} may be: servers look at its timeout about ten times a second. */
    private static final Duration LATENESS = Duration.ofMillis(250);

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
        String lock = keySpace.lockOf(key);
        Grant grant = new Grant(ReleaseScript.confirm(lock, token));
        RedisLink link = connections.current(lock);
        if (link != null) {
            grant.onOpen(link);
        } else {
            connections.whenOpen(lock, grant);
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
        new ReplicaAcknowledgementRound(this, link, List.of(grant)).begin();
    }

    /** A round is over: begins the next one, with those that need another try and with those that came meanwhile. */
    void next(RedisLink link, List<Grant> again) {
        List<Grant> grants;
        lock.lock();
        try {
            grants = queues.get(link);
            if (grants == null || (grants.isEmpty() && again.isEmpty())) {
                queues.remove(link);
                return;
            }
            queues.put(link, new ArrayList<>());
        } finally {
            lock.unlock();
        }
        grants.addAll(again);
        new ReplicaAcknowledgementRound(this, link, grants).begin();
    }

    RedisExceptionTranslator failures() {
        return failures;
    }

    /** How many replicas are enough. */
    public int wanted() {
        return settings.minReplicas();
    }

    /** Not enough replicas have the grant. */
    RedisFailure shortfall(long acknowledged) {
        String count = acknowledged + " of the " + wanted() + " replicas that must acknowledge it did so within "
                + settings.acknowledgementTime().toMillis() + "ms";
        return new RedisFailure(
                RedisFailure.Effect.UNKNOWN,
                failures.place() + " granted the lock, but only " + count + ", so the lock is released",
                "Bring the replicas back (INFO replication), or lower distributed-lock.redis.min-replicas",
                new RedisException(count));
    }

    /** The server that was asked for the replicas does not have the lock. */
    RedisFailure vanished() {
        return new RedisFailure(
                RedisFailure.Effect.UNKNOWN,
                failures.place() + " no longer had the lock when its replicas should have acknowledged it",
                "The lock ended meanwhile, or another server was promoted; try again",
                new RedisException("the lock is gone"));
    }

    /** The connection broke in between: the server's count says nothing of the grant. */
    RedisFailure broken() {
        return failures.ofExecuting(new RedisException("the client opened it again before WAIT was answered"));
    }

    /**
     * Something that was granted, and what became of the wish that replicas have it too. {@code until} is set before
     * the first round, {@code repeats} by one round at a time.
     */
    final class Grant extends CompletableFuture<Optional<RedisFailure>> implements LinkCallback {

        private static final int MOST_REPEATS = 3;

        private final ScriptCall<Long> confirmation;
        private long until;
        private int repeats;

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

        ScriptCall<Long> confirmation() {
            return confirmation;
        }

        /** How long it may still wait for replicas, in nanoseconds. */
        long left() {
            return until - System.nanoTime();
        }

        /** Whether a round that came to nothing is worth another one. Called by one round at a time. */
        boolean mayRepeat() {
            repeats++;
            return repeats <= MOST_REPEATS && left() > 0;
        }

        void acknowledge() {
            complete(Optional.empty());
        }

        void fail(RedisFailure failure) {
            complete(Optional.of(failure));
        }
    }

    /** The longest that a round waits for an answer beyond what it asked the server for. */
    static Duration lateness() {
        return LATENESS;
    }
}
