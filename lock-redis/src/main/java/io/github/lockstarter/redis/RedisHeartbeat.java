package io.github.lockstarter.redis;

import io.github.lockstarter.redis.ScriptRunner.Reader;
import io.github.lockstarter.redis.ScriptRunner.Signals;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.failure.ServerError;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.TakeoverCondition;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Runs the beat script on the connections for commands, so that the server that grants locks answers. No subscription
 * decides whether a beat counts, so a proxy that falsifies their number does not make this instance unsafe.
 * <p>Opens no connection before the first command does, and leaves beats unanswered until then. Thread-safe; a stale
 * field costs one beat.
 */
final class RedisHeartbeat implements CrashDetection {

    private static final CompletionStage<Optional<Beat>> NO_PROOF = CompletableFuture.completedFuture(Optional.empty());

    private static final String UNNAMED = "";

    private final ScriptRunner runner;
    private final RedisConnections connections;
    private final KeySpace keySpace;
    private final HeartbeatTerms terms;
    private final TakeoverAcknowledgement acknowledgement;
    private volatile String instanceId = UNNAMED;
    private volatile boolean wasOpen;

    /** Empty as long as the user may count subscribers. */
    private volatile Optional<ServerError> refusal = Optional.empty();

    public record HeartbeatTerms(ServerHistory history, Duration commandTimeout, TakeoverCondition condition) {}

    public RedisHeartbeat(
            ScriptRunner runner,
            RedisConnections connections,
            KeySpace keySpace,
            HeartbeatTerms terms,
            TakeoverAcknowledgement acknowledgement) {
        this.runner = runner;
        this.connections = connections;
        this.keySpace = keySpace;
        this.terms = terms;
        this.acknowledgement = acknowledgement;
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

    /**
     * Asks for the number of subscribers of no channel: a script that may not count them regards all owners as alive.
     * Never fails.
     */
    public CompletionStage<?> checkRight() {
        RedisLink link = connections.current(keySpace.history());
        return link == null || keySpace.isPerSlot()
                ? NO_PROOF
                : link.ask(CommandType.PUBSUB, new NestedMultiOutput<>(StringCodec.UTF8), "NUMSUB")
                        .handle((counts, failure) -> refusal = counts != null
                                ? Optional.empty()
                                : Optional.ofNullable(failure.getMessage())
                                        .map(ServerError::of)
                                        .filter(ServerError::isMissingRight)
                                        .or(() -> refusal));
    }

    @Override
    public CompletionStage<Optional<Beat>> beat(List<String> waitedFor) {
        wasOpen |= connections.current(keySpace.history()) != null;
        return wasOpen && !instanceId.equals(UNNAMED) && !keySpace.isPerSlot()
                ? runner.run(call(waitedFor), new BeatReader(waitedFor)).thenCompose(Function.identity())
                : new CompletableFuture<>();
    }

    private ScriptCall call(List<String> waitedFor) {
        List<String> keys = new ArrayList<>(List.of(terms.history.key(), terms.history.takeoversKey()));
        waitedFor.forEach(key -> keys.add(keySpace.lockOf(key)));
        return new ScriptCall(
                LockScript.BEAT,
                keys.toArray(String[]::new),
                terms.history.known(),
                terms.history.terms().graceText(),
                instanceId);
    }

    /** {@inheritDoc} A client that publishes may crash between a release and its signal. */
    @Override
    public boolean hearsSignals() {
        return connections.hearsSignals() && runner.signals() == Signals.BY_SCRIPT;
    }

    @Override
    public Duration commandTimeout() {
        return terms.commandTimeout;
    }

    @Override
    public TakeoverCondition takeoverCondition() {
        return terms.condition;
    }

    private final class BeatReader implements Reader<CompletionStage<Optional<Beat>>> {

        private static final String ABANDONED = "1";

        private static final int FIXED = 4;

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
