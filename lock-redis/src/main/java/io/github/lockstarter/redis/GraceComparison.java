package io.github.lockstarter.redis;

import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.spi.BackendGuard;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Compares the grace periods of all instances with one prefix. The first instance keeps its own in a key for as long as
 * it runs, and the others compare theirs with it, so that one value decides who reports the difference.
 * <p>Thread-safe: a late answer may be corrected by the next comparison.
 */
final class GraceComparison {

    /** How long an instance counts after its last comparison: some pings. */
    private static final Duration PRESENT = Duration.ofSeconds(15);

    private final RedisConnections connections;
    private final LongSupplier nanoTime;
    private final String key;
    private final String own;
    private volatile boolean kept;
    private volatile @Nullable Difference difference;

    private record Difference(Duration grace, long seenAt) {}

    GraceComparison(RedisConnections connections, LongSupplier nanoTime, String key, Duration grace) {
        this.connections = connections;
        this.nanoTime = nanoTime;
        this.key = key;
        this.own = ScriptCall.millis(grace);
    }

    /** Another instance's grace period, if it differed within the last {@link #PRESENT}. */
    Optional<Duration> difference() {
        Difference last = difference;
        return last != null && nanoTime.getAsLong() - last.seenAt < PRESENT.toNanos()
                ? Optional.of(last.grace)
                : Optional.empty();
    }

    /** Writes nothing. Does nothing without a connection, and never fails. */
    CompletableFuture<?> compare() {
        return ask(server -> server.get(key).thenAccept(this::found));
    }

    /** Also keeps this instance's value, if it is the first. A timeout is no sign of a hanging server. */
    CompletableFuture<?> compareAndKeep() {
        return ask(server -> server.get(key).thenCompose(found -> {
            found(found);
            SetArgs args = SetArgs.Builder.px(PRESENT);
            return found == null || kept
                    ? server.set(key, own, found == null ? args.nx() : args.xx())
                            .thenAccept(done -> kept |= done != null)
                    : CompletableFuture.completedFuture(null);
        }));
    }

    private CompletableFuture<?> ask(Function<RedisAsyncCommands<String, String>, CompletionStage<Void>> question) {
        RedisLink link = connections.current(key);
        return link != null && link.server() instanceof StatefulRedisConnection<String, String> server
                ? BackendGuard.stageOf(question, server.async())
                        .handle((done, failure) -> failure == null)
                        .toCompletableFuture()
                : CompletableFuture.completedFuture(false);
    }

    private void found(@Nullable String other) {
        if (other == null || other.equals(own)) {
            return;
        }
        kept = false;
        if (other.matches("\\d{1,15}")) {
            difference = new Difference(Duration.ofMillis(Long.parseLong(other)), nanoTime.getAsLong());
        }
    }
}
