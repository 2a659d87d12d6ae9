package io.github.lockstarter.redis;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.SeveralMastersException;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.SingleMaster;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settings of every server that keeps locks. A server that answers without a setting, or refuses {@code
 * INFO}, causes no warning; one that does not answer keeps its earlier warnings.
 * <p>Thread-safe: a late answer may replace a newer one until the next check.
 */
final class ServerChecks {

    private final RedisConnections connections;
    private final RedisConnector connector;
    private final RedisSettings settings;
    private final GraceComparison comparison;

    private volatile Map<String, List<String>> warnings = Map.of();

    public ServerChecks(
            RedisConnections connections, RedisConnector connector, RedisSettings settings, KeySpace keySpace) {
        this.connections = connections;
        this.connector = connector;
        this.settings = settings;
        this.comparison = new GraceComparison(
                connections,
                connector::nanoTime,
                keySpace.history() + ":grace",
                settings.guard().grace());
    }

    /** Compares the grace period with that of other instances, and keeps it for their comparison. Never fails. */
    public void compareGrace() {
        comparison.compareAndKeep();
    }

    public List<String> warnings() {
        return Stream.of(
                        deposedMaster().stream(),
                        shortGrace().stream(),
                        otherGrace().stream(),
                        warnings.values().stream().flatMap(List::stream))
                .flatMap(each -> each)
                .toList();
    }

    private Optional<String> shortGrace() {
        Duration grace = settings.guard().grace();
        Duration timeout = settings.commandTimeout();
        return connector.hasStaticNodes() && !settings.guard().isOff() && grace.compareTo(timeout.multipliedBy(4)) <= 0
                ? Optional.of("Redis at " + connector.target().name()
                        + " may get a second master that grants locks before this"
                        + " instance detects it: the grace period is " + DurationText.exactly(grace)
                        + ", and must be longer than four times distributed-lock.redis.command-timeout ("
                        + DurationText.exactly(timeout) + "). Lower command-timeout, or raise"
                        + " distributed-lock.redis.grace-period (docs/guarantees.md, Failover and restart)")
                : Optional.empty();
    }

    private Optional<String> otherGrace() {
        return comparison
                .difference()
                .map(other -> "Redis at " + connector.target().name()
                        + " was used within the last 30s by another instance with the key prefix "
                        + settings.keyPrefix() + ", or by this one before its restart, which grants no free locks for "
                        + DurationText.exactly(other) + " after a failover or restart; this one waits for "
                        + DurationText.exactly(settings.guard().grace())
                        + ". The one that waits less may grant locks that are held. Set the same"
                        + " distributed-lock.max-lease, redis.grace-period and redis.deposed-master-writes in all"
                        + " instances, or another distributed-lock.key-prefix");
    }

    private Optional<String> deposedMaster() {
        return connector.isPromotedBySentinels() && settings.guard().trustsDeposedMasters()
                ? Optional.of("Redis at " + connector.target().name()
                        + " may go on granting locks after sentinels have promoted another"
                        + " master, and distributed-lock.redis.deposed-master-writes is 0s. Set min-replicas-to-write "
                        + "to the number of replicas, min-replicas-max-lag to at most a third of the shortest lease - "
                        + "2s, and deposed-master-writes to min-replicas-max-lag + 2s (docs/guarantees.md, case 7)")
                : Optional.empty();
    }

    /** Never fails. */
    public CompletableFuture<?> look() {
        Map<String, CompletableFuture<Optional<String>>> answers = new LinkedHashMap<>();
        connections
                .servers()
                .forEach((server, link) -> answers.put(
                        server.isEmpty() ? connector.target().name() : server,
                        link.thenCompose(open -> ServerState.info(info(open), info(open, "crdt")))
                                .handle((info, failure) -> Optional.ofNullable(info))));
        return CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
                .thenCombine(comparison.compare(), (all, compared) -> compared)
                .thenRun(() -> {
                    Map<String, List<String>> found = new LinkedHashMap<>();
                    answers.forEach((server, answer) -> found.put(
                            server,
                            answer.getNow(Optional.empty()) // all are complete
                                    .map(info -> examine(server, ServerState.of(info)))
                                    .orElseGet(() -> warnings.getOrDefault(server, List.of()))));
                    warnings = found;
                });
    }

    /** A connection that was opened again may lead to another server. */
    private List<String> examine(String server, ServerState state) {
        state.severalMasters(connector.target(), settings).ifPresent(connections::refuse);
        return state.warnings(server, settings);
    }

    /**
     * Asks a server, in a cluster any of them, unless it is declared to be the only master. Blocks.
     *
     * @throws SeveralMastersException after refusing all commands
     */
    void refuseSeveralMasters(RedisLink opened) {
        if (settings.singleMaster() == SingleMaster.DECLARED) {
            return;
        }
        RedisClusterAsyncCommands<String, String> redis = opened.async();
        String told = BlockingWait.awaitUninterruptibly(
                ServerState.info(redis.info(), redis.info("crdt")).toCompletableFuture());
        ServerState.of(told).severalMasters(connector.target(), settings).ifPresent(several -> {
            connections.refuse(several);
            throw several;
        });
    }

    private static CompletionStage<String> info(RedisLink server, String... sections) {
        return server.ask(CommandType.INFO, new StatusOutput<>(StringCodec.UTF8), sections);
    }

    /**
     * Compares the grace periods of all instances with one prefix. The first instance keeps its own in a key for as
     * long as it runs, and the others compare theirs with it, so that one value decides who reports the difference.
     * <p>Thread-safe: a late answer may be corrected by the next comparison.
     */
    private static final class GraceComparison {

        /** How long an instance counts after its last comparison: some pulses. */
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
}
