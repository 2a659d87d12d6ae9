package io.github.lockstarter.redis.replica;

import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.replica.ReplicaAcknowledgements.Grant;
import io.github.lockstarter.redis.script.LockScript;
import io.github.lockstarter.redis.script.ReleaseScript;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes some grants once more, and waits for the replicas of one server to have them. Begun by one thread; ends on
 * another one, once, with the answer to {@code WAIT}, whatever that is.
 *
 * <p>A {@code WAIT} that the client sends again on a new connection waits for nothing: that connection wrote nothing.
 * So its answer counts only if the connection did not break since the writes.
 */
final class ReplicaAcknowledgementRound {

    private final ReplicaAcknowledgements acknowledgements;
    private final RedisLink link;
    private final List<Grant> grants;
    private final int breaksBefore;
    private final List<AsyncCommand<String, String, Long>> writes = new ArrayList<>();
    private final List<Grant> again = new ArrayList<>();
    private volatile @Nullable Future<?> patience;

    ReplicaAcknowledgementRound(ReplicaAcknowledgements acknowledgements, RedisLink link, List<Grant> grants) {
        this.acknowledgements = acknowledgements;
        this.link = link;
        this.grants = grants;
        this.breaksBefore = link.breaks();
    }

    /** Sends; the callers get their answers later. */
    void begin() {
        long left = grants.stream().mapToLong(Grant::left).min().orElse(0);
        long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)); // zero would wait for ever
        AsyncCommand<String, String, Long> wait = waitFor(millis);
        wait.onComplete(this::end);
        try {
            StatefulConnection<String, String> connection = link.toServer();
            if (connection == null) {
                throw new RedisException("no connection to the server");
            }
            boolean known = link.isKnown(LockScript.CONFIRM.sha());
            grants.forEach(grant -> writes.add(
                    known ? grant.confirmation().bySha() : grant.confirmation().byText()));
            List<RedisCommand<String, String, ?>> all = new ArrayList<>(writes);
            all.add(wait);
            connection.dispatch(all);
            expire(wait, connection, millis);
        } catch (Throwable e) {
            wait.completeExceptionally(e);
        }
    }

    private AsyncCommand<String, String, Long> waitFor(long millis) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8)
                .add(acknowledgements.wanted())
                .add(millis);
        return new AsyncCommand<>(new Command<>(CommandType.WAIT, new IntegerOutput<>(StringCodec.UTF8), args));
    }

    /** Sooner than the client would, which awaits each command for the whole command timeout. */
    private void expire(AsyncCommand<?, ?, ?> wait, StatefulConnection<?, ?> connection, long millis) {
        long most = millis + ReplicaAcknowledgements.lateness().toMillis();
        Runnable expiry = () -> wait.completeExceptionally(new RedisCommandTimeoutException("WAIT was not answered"));
        patience = connection.getResources().eventExecutorGroup().schedule(expiry, most, TimeUnit.MILLISECONDS);
        if (wait.isDone()) {
            forgetPatience();
        }
    }

    private void forgetPatience() {
        Future<?> scheduled = patience;
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }

    private void end(@Nullable Long acknowledged, @Nullable Throwable failure) {
        forgetPatience();
        boolean broken = link.breaks() != breaksBefore;
        link.recordReply(refusalOf(0, failure)); // of a WAIT a replica says no more than that it takes none
        for (int i = 0; i < grants.size(); i++) {
            Grant grant = grants.get(i);
            Throwable refusal = refusalOf(i, failure);
            if (broken || refusal instanceof RedisNoScriptException) {
                link.forgetScripts();
                repeat(grant);
            } else if (refusal != null) {
                grant.fail(acknowledgements.failures().ofExecuting(refusal));
            } else if (writes.get(i).getNow(ReleaseScript.NOT_HELD) == ReleaseScript.NOT_HELD) {
                grant.fail(acknowledgements.vanished());
            } else {
                link.learned(LockScript.CONFIRM.sha());
                count(grant, acknowledged == null ? 0 : acknowledged);
            }
        }
        acknowledgements.next(link, again);
    }

    private void repeat(Grant grant) {
        if (grant.mayRepeat()) {
            again.add(grant);
        } else {
            grant.fail(acknowledgements.broken());
        }
    }

    private void count(Grant grant, long acknowledged) {
        if (acknowledged >= acknowledgements.wanted()) {
            grant.acknowledge();
        } else if (grant.left() > 0) {
            again.add(grant); // the round was as short as its oldest grant needed
        } else {
            grant.fail(acknowledgements.shortfall(acknowledged));
        }
    }

    /** Why a write, or the {@code WAIT} behind it, came to nothing; null if neither did. */
    private @Nullable Throwable refusalOf(int place, @Nullable Throwable failure) {
        if (place >= writes.size() || !writes.get(place).isDone()) {
            return failure;
        }
        try {
            writes.get(place).getNow(ReleaseScript.NOT_HELD); // throws what it failed with
            return failure;
        } catch (CompletionException e) {
            return e.getCause();
        } catch (CancellationException e) {
            return e;
        }
    }
}
