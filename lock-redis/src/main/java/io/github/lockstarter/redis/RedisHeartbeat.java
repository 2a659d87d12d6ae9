package io.github.lockstarter.redis;

import io.github.lockstarter.redis.ScriptRunner.Reader;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.failure.ServerError;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.TakeoverCondition;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Runs the beat script on the connections for commands, so that the server that grants locks answers. The script's
 * subscriber count does not decide whether a beat counts, so a proxy that falsifies it does not make this instance
 * unsafe.
 * <p>Opens no connection before the first command does, and leaves beats unanswered until then. Thread-safe; a stale
 * field costs one beat or resubscription.
 */
final class RedisHeartbeat implements CrashDetection {

    private static final CompletionStage<Optional<Beat>> NO_PROOF = CompletableFuture.completedFuture(Optional.empty());

    /** Rate limit: if a server never counts subscribers, as behind a proxy, another connection does not help. */
    private static final Duration RESUBSCRIBE_EVERY = Duration.ofSeconds(5);

    /** Inside a script, servers before Redis 8 do not name the command. */
    private static final ServerError NO_RIGHT =
            ServerError.of("NOPERM this user has no permissions to run the 'pubsub|numsub' command");

    private static final String UNNAMED = "";

    private final ScriptRunner runner;
    private final RedisConnections connections;
    private final KeySpace keySpace;
    private final HeartbeatTerms terms;
    private final TakeoverAcknowledgement acknowledgement;
    private final LongSupplier nanoTime;
    private volatile String instanceId = UNNAMED;
    private volatile boolean wasOpen;

    private volatile boolean mailboxMissing;

    private volatile long resubscribedAt;

    /** The last answer's error if the user may not count subscribers. */
    private volatile Optional<ServerError> refusal = Optional.empty();

    public record HeartbeatTerms(ServerHistory history, Duration commandTimeout, TakeoverCondition condition) {}

    public RedisHeartbeat(
            ScriptRunner runner,
            RedisConnections connections,
            KeySpace keySpace,
            HeartbeatTerms terms,
            TakeoverAcknowledgement acknowledgement,
            LongSupplier nanoTime) {
        this.runner = runner;
        this.connections = connections;
        this.keySpace = keySpace;
        this.terms = terms;
        this.acknowledgement = acknowledgement;
        this.nanoTime = nanoTime;
        this.resubscribedAt = nanoTime.getAsLong() - RESUBSCRIBE_EVERY.toNanos();
    }

    public void ofInstance(String id) {
        instanceId = id;
    }

    public Optional<ServerError> refusal() {
        return refusal.or(acknowledgement::refusal);
    }

    public boolean isUnacknowledged() {
        return acknowledgement.isUnacknowledged();
    }

    public CompletionStage<?> learn() {
        boolean ready = connections.current(keySpace.history()) != null && !instanceId.equals(UNNAMED);
        return ready ? beat(List.of()).exceptionally(failure -> Optional.empty()) : NO_PROOF;
    }

    @Override
    public CompletionStage<Optional<Beat>> beat(List<String> waitedFor) {
        wasOpen |= connections.current(keySpace.history()) != null;
        return wasOpen && !instanceId.equals(UNNAMED)
                ? runner.run(call(waitedFor), new BeatReader(waitedFor)).thenCompose(Function.identity())
                : new CompletableFuture<>();
    }

    private ScriptCall call(List<String> waitedFor) {
        String id = instanceId;
        List<String> keys = new ArrayList<>(List.of(keySpace.markOf(id), keySpace.traceOf(id), terms.history.key()));
        waitedFor.forEach(key -> keys.add(keySpace.lockOf(key)));
        return new ScriptCall(
                LockScript.BEAT,
                keys.toArray(String[]::new),
                terms.history.known(),
                ScriptCall.millis(terms.history.terms().grace()),
                keySpace.mailboxOf(id));
    }

    @Override
    public boolean hearsSignals() {
        return !mailboxMissing;
    }

    @Override
    public Duration commandTimeout() {
        return terms.commandTimeout;
    }

    @Override
    public TakeoverCondition takeoverCondition() {
        return terms.condition;
    }

    /**
     * Resubscribes if the server counts no subscriber twice in a row, since signals may be lost; once is normal during
     * a reconnect.
     */
    private void subscribers(String text) {
        boolean missing = text.equals("0");
        long now = nanoTime.getAsLong();
        if (missing && mailboxMissing && now - resubscribedAt >= RESUBSCRIBE_EVERY.toNanos()) {
            resubscribedAt = now;
            connections.resubscribe();
        }
        mailboxMissing = missing;
        refusal = ServerError.of(text).isMissingRight() ? Optional.of(NO_RIGHT) : Optional.empty();
    }

    private final class BeatReader implements Reader<CompletionStage<Optional<Beat>>> {

        private static final String ABANDONED = "1";

        private static final int FIXED = 5;

        private final List<String> waitedFor;

        BeatReader(List<String> waitedFor) {
            this.waitedFor = waitedFor;
        }

        @Override
        public CompletionStage<Optional<Beat>> of(List<Object> reply, boolean repeated) {
            List<String> texts = reply.stream().map(String.class::cast).toList();
            String marker = texts.get(0);
            // Whole seconds, perhaps rounded up.
            Duration running = Duration.ofSeconds(Math.max(0, Long.parseLong(texts.get(3)) - 1));
            terms.history.learn(marker);
            subscribers(texts.get(4));
            List<String> abandoned = new ArrayList<>();
            for (int i = 0; i < waitedFor.size(); i++) {
                String found = texts.get(FIXED + i);
                if (found.equals(ABANDONED)) {
                    abandoned.add(waitedFor.get(i));
                } else if (!found.isEmpty()) {
                    acknowledgement.begin(found, waitedFor.get(i));
                }
            }
            return marker.isEmpty()
                    ? NO_PROOF
                    : CompletableFuture.completedFuture(
                            Optional.of(new Beat(marker, texts.get(1), texts.get(2), running, List.copyOf(abandoned))));
        }

        @Override
        public CompletionStage<Optional<Beat>> failed(RedisFailure failure) {
            return CompletableFuture.failedFuture(new RedisException(failure.problem(), failure.cause()));
        }
    }
}
