package io.github.lockstarter.redis.failure;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.connector.SeveralMastersException;
import io.github.lockstarter.redis.failure.RedisFailure.FailureEffect;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

public final class RedisExceptionTranslator {

    private final RedisConnector connector;
    private final String target;
    private final RedisSetup setup;
    private final RedisSettings settings;
    private final RequiredRights rights;
    private final UnsuitableServer unsuitable;

    public RedisExceptionTranslator(RedisConnector connector, RedisSettings settings) {
        this.connector = connector;
        this.rights = new RequiredRights(settings);
        this.target = connector.target().name();
        this.setup = connector.target().setup();
        this.unsuitable = new UnsuitableServer(setup);
        this.settings = settings;
    }

    /**
     * Whether the server did not answer: not for refusals, including logins, nor if this client was closed, cancelled
     * the command, or failed itself.
     */
    public static boolean isSilence(Throwable failure) {
        Throwable root = ExceptionCauses.rootOf(failure);
        return root instanceof RedisException
                ? !(root instanceof RedisCommandExecutionException) && !isClosed(root)
                : root instanceof Exception && !(root instanceof RuntimeException);
    }

    private static boolean isClosed(Throwable failure) {
        return failure instanceof RedisException && ExceptionCauses.CONNECTION_CLOSED.equals(failure.getMessage());
    }

    public RedisFailure ofConnecting(Throwable failure) {
        if (failure instanceof CancellationException) {
            return ofStopped(ExceptionCauses.said(failure), failure);
        }
        Throwable root = ExceptionCauses.rootOf(failure);
        if (root instanceof Error) {
            return new RedisFailure(
                    FailureEffect.NONE,
                    "Could not connect to Redis at " + target + ": " + root,
                    "This JVM lacks memory, threads or a class; the next lock operation connects again",
                    failure);
        }
        Optional<RedisCommandExecutionException> refusal = refusalIn(failure);
        if (refusal.isPresent()) {
            return ofRefusal(refusal.get());
        }
        if (root instanceof PartitionSelectorException) {
            return ofUncovered(root);
        }
        if (root instanceof SeveralMastersException several) {
            return new RedisFailure(FailureEffect.NONE, ExceptionCauses.said(several), several.remedy(), failure);
        }
        if (root instanceof RedisUnavailableException unsuitable) {
            return new RedisFailure(FailureEffect.NONE, ExceptionCauses.said(unsuitable), unsuitable.remedy(), failure);
        }
        FailedConnection reason = FailedConnection.of(failure, connector, seconds());
        return new RedisFailure(
                FailureEffect.NONE,
                "Could not connect to Redis at " + target + ": " + reason.detail(),
                reason.remedy(),
                failure);
    }

    private static Optional<RedisCommandExecutionException> refusalIn(Throwable failure) {
        return ExceptionCauses.reasonsOf(failure)
                .filter(RedisCommandExecutionException.class::isInstance)
                .map(RedisCommandExecutionException.class::cast)
                .findFirst();
    }

    public RedisFailure ofPreparing(Throwable failure) {
        return new RedisFailure(
                FailureEffect.NONE,
                "The command for Redis at " + target + " could not be built: " + failure,
                "Check what this JVM lacks, such as memory or stack",
                failure);
    }

    public RedisFailure ofTooManyUnanswered(int unanswered) {
        return new RedisFailure(
                FailureEffect.NOT_YET,
                "No command was sent to Redis at " + target + " within " + seconds() + ": " + unanswered
                        + " commands before it had no answer",
                "Check that it runs and what keeps it busy (SLOWLOG GET)",
                new TimeoutException(unanswered + " commands had no answer within " + seconds()));
    }

    public RedisFailure ofExecuting(Throwable failure) {
        if (failure instanceof RedisCommandExecutionException refusal) {
            return ofRefusal(refusal);
        }
        if (failure instanceof RedisCommandTimeoutException) {
            return new RedisFailure(
                    FailureEffect.UNKNOWN,
                    "No answer from Redis at " + target + " within " + seconds(),
                    "Check that it runs and what keeps it busy (SLOWLOG GET), and that this JVM has the CPU time that"
                            + " it needs, or raise " + setup.timeout(),
                    failure);
        }
        if (failure instanceof PartitionSelectorException) {
            return ofUncovered(failure);
        }
        if (isClosed(failure)) {
            return new RedisFailure(
                    FailureEffect.NOT_YET,
                    "No command was sent to Redis at " + target + ": the lock's connection was closed",
                    "The client opens it again, unless the application stops",
                    failure);
        }
        if (failure instanceof RedisException && isKeptInClient(String.valueOf(failure.getMessage()))) {
            return new RedisFailure(
                    FailureEffect.NONE,
                    "The command was not sent to Redis at " + target + saying(failure),
                    "Redis is too slow for the number of lock operations, or unreachable; check Redis and the network",
                    failure);
        }
        return new RedisFailure(
                FailureEffect.UNKNOWN,
                "The connection to Redis at " + target + " broke before the answer came" + saying(failure),
                "Check the server's log and the network to it; the client opens the connection again",
                failure);
    }

    public RedisFailure ofReply(Throwable failure) {
        return new RedisFailure(
                FailureEffect.UNKNOWN,
                "Redis at " + target + " returned an unexpected script reply",
                "Check what stands between the application and Redis, such as a proxy",
                failure);
    }

    public RedisFailure ofError(String text) {
        return ofRefusal(new RedisCommandExecutionException(text));
    }

    private RedisFailure ofUncovered(Throwable failure) {
        return new RedisFailure(
                FailureEffect.NOT_YET,
                "No node of the Redis Cluster at " + target + " is known to serve the lock's slot" + saying(failure),
                "Check CLUSTER NODES: each slot needs a master that is up",
                failure);
    }

    private RedisFailure ofStopped(String state, Throwable failure) {
        return new RedisFailure(
                FailureEffect.NONE,
                "No command was sent to Redis at " + target + ": " + state,
                "Use locks only while the application runs",
                failure);
    }

    private RedisFailure ofRefusal(RedisCommandExecutionException refusal) {
        ServerError error = ServerError.of(refusal);
        return new RedisFailure(
                effectOf(error), "Redis at " + target + " refused: " + error.text(), remedyOf(error), refusal);
    }

    /** Scripts return the errors of commands; they may have written before Lua itself fails. */
    private static FailureEffect effectOf(ServerError error) {
        if (error.isPassing()) {
            return FailureEffect.NOT_YET;
        }
        return error.isOfLua() ? FailureEffect.UNKNOWN : FailureEffect.NONE;
    }

    /** Lettuce rejected the command unsent: its queue is full, or it rejects commands while disconnected. */
    private static boolean isKeptInClient(String message) {
        return message.contains("size exceeded") || message.contains("Commands are rejected");
    }

    private String remedyOf(ServerError error) {
        if (error.isMissingRight()) {
            return rights.remedyOf(error);
        }
        return switch (error.code()) {
            case "NOAUTH", "WRONGPASS" -> "Set " + setup.login() + " to a user of this server";
            case "OOM" ->
                "The server is at its maxmemory: free memory or raise it; use the policy noeviction"
                        + " for a store of locks";
            case "READONLY" -> "This is a replica: point " + setup.master() + " at the master";
            case "LOADING" -> "The server is still loading its data; try again";
            case "BUSY" -> "Another script keeps the server busy: wait until it ends, or end it with SCRIPT KILL";
            case "MISCONF" -> "The server cannot persist and so refuses writes; see its log";
            case "NOREPLICAS" -> "The server has fewer replicas than min-replicas-to-write; bring them back";
            case "MASTERDOWN" -> "This is a replica without its master: point " + setup.master() + " at the master";
            case "CLUSTERDOWN", "TRYAGAIN" ->
                "The cluster moves slots, or lacks the master of some: see CLUSTER INFO and CLUSTER NODES";
            case "CROSSSLOT" -> UnsuitableServer.ofSlots();
            case "MOVED", "ASK" ->
                "This is a node of a cluster: " + setup.cluster() + ", unless the cluster is moving its slots";
            default -> remedyOfPlain(error);
        };
    }

    private String remedyOfPlain(ServerError error) {
        String text = error.text();
        if (text.contains("DB index")) {
            return "Set " + setup.database() + " to a database that the server has (CONFIG GET databases)";
        }
        if (text.contains("SELECT is not allowed")) {
            return "Set " + setup.database() + " to 0, the only database of a cluster";
        }
        if (text.contains("AUTH")) {
            return "Set " + setup.login() + " to a user of this server";
        }
        if (text.contains("cluster support disabled")) {
            return "This server is no cluster: set spring.data.redis.host and port instead of"
                    + " spring.data.redis.cluster.nodes";
        }
        if (text.contains("unknown command") && text.contains("SENTINEL")) {
            return "This server is no sentinel: set spring.data.redis.sentinel.nodes to the sentinels, usually at port"
                    + " 26379";
        }
        if (text.contains("max number of clients")) {
            return "Raise maxclients of the server, or close connections";
        }
        return unsuitable.remedyOf(error);
    }

    private String seconds() {
        return DurationText.exactly(settings.commandTimeout());
    }

    private static String saying(Throwable failure) {
        return failure.getMessage() == null ? "" : ": " + ExceptionCauses.said(failure);
    }
}
