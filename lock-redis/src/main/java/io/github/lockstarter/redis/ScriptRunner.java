package io.github.lockstarter.redis;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.settings.RedisSettings.KeyLayout;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends scripts and converts replies to results. Its stages always complete normally, mostly on an event loop: Lettuce
 * applies the command timeout both to sent commands and to commands that wait for a connection.
 */
final class ScriptRunner {

    /** How the instances that wait for a released lock are signalled, by the last answers. */
    public enum Signals {
        /** Scripts publish. */
        BY_SCRIPT,
        /** The server refuses that to scripts, and this client publishes. */
        BY_CLIENT,
        /** The server refuses both: waiters retry. */
        NONE
    }

    public interface Reader<R> {

        /**
         * Converts the reply.
         *
         * @param repeated whether the client resent the script and may have run it twice
         */
        R of(List<Object> reply, boolean repeated);

        /** The server error that the script caught and returned, or null. */
        default @Nullable Throwable refusalIn(List<Object> reply) {
            return null;
        }

        R failed(RedisFailure failure);
    }

    private final RedisConnections connections;
    private final RedisExceptionTranslator failures;
    private volatile Signals signals = Signals.BY_SCRIPT;

    public ScriptRunner(RedisConnections connections, RedisExceptionTranslator failures) {
        this.connections = connections;
        this.failures = failures;
    }

    public Signals signals() {
        return signals;
    }

    /** Takes the server for one whose scripts may publish, as an answer shows, until it refuses that. */
    public void resetSignals() {
        signals = Signals.BY_SCRIPT;
    }

    /**
     * Sends a script without a waiting caller to the key's server, as far as known, if it is connected. Follows no
     * redirect.
     */
    public void runIfConnected(ScriptCall call, Reader<?> answer) {
        RedisLink link = connections.current(call.key());
        StatefulConnection<String, String> server = link == null ? null : link.server();
        if (link != null && server != null) {
            new ScriptReply<>(call, answer).send(link, server);
        }
    }

    /** Names keys only once their layout is known, which the first connection shows. */
    public <R> CompletionStage<R> whenOpen(
            KeySpace keys, Supplier<CompletionStage<R>> step, Function<RedisFailure, R> unsent) {
        if (keys.layout() != KeyLayout.AUTO) {
            return step.get();
        }
        CompletableFuture<RedisLink> opening = new CompletableFuture<>();
        connections.link(keys.history(), opening);
        return opening.handle((opened, failure) -> failure == null
                        ? step.get()
                        : CompletableFuture.completedFuture(unsent.apply(failures.ofConnecting(failure))))
                .thenCompose(Function.identity());
    }

    public <R> CompletionStage<R> run(ScriptCall call, Reader<R> answer) {
        ScriptReply<R> reply = new ScriptReply<>(call, answer);
        RedisLink link = connections.current(call.key());
        if (link != null) {
            reply.send(link, link.commands());
        } else {
            CompletableFuture<RedisLink> opening = new CompletableFuture<>();
            opening.whenComplete((opened, failure) -> {
                if (opened != null) {
                    reply.send(opened, opened.commands());
                } else {
                    reply.complete(answer.failed(failures.ofConnecting(failure)));
                }
            });
            connections.link(call.key(), opening);
        }
        return reply;
    }

    /**
     * Publishes what the server has just refused to a script, and counts the subscribers.
     *
     * @param key of the script
     */
    public CompletionStage<Long> publish(String key, String channel, String message) {
        RedisLink link = connections.current(key);
        return link == null
                ? new CompletableFuture<>()
                : link.ask(CommandType.PUBLISH, new IntegerOutput<>(StringCodec.UTF8), channel, message)
                        .whenComplete((subscribers, failure) -> {
                            if (failure == null) {
                                signals = Signals.BY_CLIENT;
                            } else if (ExceptionCauses.rootOf(failure) instanceof RedisCommandExecutionException) {
                                signals = Signals.NONE;
                            }
                        });
    }

    private final class ScriptReply<R> extends CompletableFuture<R> {

        private final ScriptCall call;
        private final Reader<R> answer;
        private int breaksBefore;
        private int breaksOfAllBefore;

        ScriptReply(ScriptCall call, Reader<R> answer) {
            this.call = call;
            this.answer = answer;
        }

        void send(RedisLink link, StatefulConnection<String, String> connection) {
            AsyncCommand<String, String, List<Object>> command;
            try {
                breaksBefore = link.breaksCounted();
                breaksOfAllBefore = link.breaksOfAll();
                command = link.isKnown(call.script().sha()) ? call.bySha() : call.byText();
            } catch (Throwable e) {
                complete(answer.failed(failures.ofPreparing(e)));
                return;
            }
            dispatch(link, connection, command);
        }

        private void dispatch(
                RedisLink link,
                StatefulConnection<String, String> connection,
                AsyncCommand<String, String, List<Object>> command) {
            command.onComplete((reply, failure) -> onReply(link, reply, failure));
            try {
                connection.dispatch(command);
            } catch (Throwable e) {
                onReply(link, null, e);
            }
        }

        private void onReply(RedisLink link, @Nullable List<Object> reply, @Nullable Throwable failure) {
            boolean once = isSentOnce(link);
            if (failure == null) {
                learn(link);
                understand(link, reply, once);
                return;
            }
            link.recordReply(failure);
            if (failure instanceof RedisNoScriptException) {
                link.forgetScripts();
                if (call.mayBeOvertaken()) {
                    dispatch(link, link.commands(), call.byText());
                    return;
                }
            }
            fail(failures.ofExecuting(failure), once);
        }

        private void learn(RedisLink link) {
            if (link.breaks() == breaksBefore) {
                link.learned(call.script().sha());
            }
        }

        private void understand(RedisLink link, @Nullable List<Object> reply, boolean once) {
            try {
                if (reply == null) {
                    throw new IllegalStateException("No reply");
                }
                link.recordReply(answer.refusalIn(reply));
                complete(answer.of(reply, !once));
            } catch (Throwable e) {
                fail(failures.ofReply(e), once);
            }
        }

        private void fail(RedisFailure failure, boolean once) {
            complete(answer.failed(once ? failure : failure.afterReconnect()));
        }

        /**
         * Whether the client sent one copy only; redirects within a cluster count as one. Read before the link
         * processes the reply, which may break it.
         */
        private boolean isSentOnce(RedisLink link) {
            return link.breaks() == breaksBefore && link.breaksOfAll() == breaksOfAllBefore;
        }
    }
}
