package io.github.lockstarter.redis.check;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.script.ScriptCall;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.BackendGuard;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settings of every server that keeps locks. A server that answers without a setting, or refuses {@code
 * INFO}, causes no warning; one that does not answer keeps its earlier warnings.
 * <p>Thread-safe: a late answer may replace a newer one until the next check.
 */
public final class ServerChecks {

    /** How long an instance counts after its last announcement: some pings. */
    private static final Duration PRESENT = Duration.ofSeconds(15);

    private final RedisConnections connections;
    private final RedisConnector connector;
    private final RedisSettings settings;
    private final String announced;
    private final String grace;

    private volatile Map<String, List<String>> warnings = Map.of();
    /** In milliseconds, as announced last by an instance. */
    private volatile Optional<String> announcedGrace = Optional.empty();

    public ServerChecks(
            RedisConnections connections, RedisConnector connector, RedisSettings settings, KeySpace keySpace) {
        this.connections = connections;
        this.connector = connector;
        this.settings = settings;
        this.announced = keySpace.history() + ":grace";
        this.grace = ScriptCall.millis(settings.guard().grace());
    }

    /** Tells the grace period to instances that {@link #look}, since all must have the same. Never fails. */
    public void announce() {
        String millis = Long.toString(PRESENT.toMillis());
        atAnnounced(link ->
                link.ask(CommandType.SET, new StatusOutput<>(StringCodec.UTF8), announced, grace, "PX", millis));
    }

    private <T> CompletableFuture<Optional<T>> atAnnounced(Function<RedisLink, CompletionStage<T>> command) {
        RedisLink link = connections.current(announced);
        return link == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : BackendGuard.stageOf(() -> command.apply(link))
                        .handle((answer, failure) -> Optional.ofNullable(answer))
                        .toCompletableFuture();
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
        return announcedGrace
                .filter(other -> !other.equals(grace) && other.matches("\\d{1,15}"))
                .map(other -> "Redis at " + connector.target().name() + " is used by another instance with the key"
                        + " prefix " + settings.keyPrefix() + ", which grants no free locks for "
                        + DurationText.exactly(Duration.ofMillis(Long.parseLong(other)))
                        + " after a failover or restart; this one waits for "
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
                        // The whole default reply: before version 7, INFO takes one section or none.
                        link.thenCompose(open -> open.ask(CommandType.INFO, new StatusOutput<>(StringCodec.UTF8)))
                                .handle(ServerChecks::answer)));
        CompletableFuture<Optional<String>> announcement =
                atAnnounced(link -> link.ask(CommandType.GET, new ValueOutput<>(StringCodec.UTF8), announced));
        return CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
                .thenCombine(announcement, (all, found) -> announcedGrace = found)
                .thenRun(() -> {
                    Map<String, List<String>> found = new LinkedHashMap<>();
                    answers.forEach((server, answer) -> found.put(
                            server,
                            answer.getNow(Optional.empty()) // all are complete
                                    .map(info -> ServerState.of(info).warnings(server, settings))
                                    .orElseGet(() -> warnings.getOrDefault(server, List.of()))));
                    warnings = found;
                });
    }

    /** Empty if no answer came; a refusal is an answer. */
    private static Optional<String> answer(@Nullable String info, @Nullable Throwable failure) {
        return failure != null && ExceptionCauses.rootOf(failure) instanceof RedisCommandExecutionException
                ? Optional.of("")
                : Optional.ofNullable(info);
    }
}
