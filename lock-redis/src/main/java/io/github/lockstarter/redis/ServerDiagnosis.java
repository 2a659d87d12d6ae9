package io.github.lockstarter.redis;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.ServerError;
import io.lettuce.core.LettuceVersion;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Facts about a server, in a cluster about one, for an operator. Refusals and silence are facts. Thread-safe. */
record ServerDiagnosis(
        RedisConnections connections, RedisConnector connector, KeySpace keySpace, RedisExceptionTranslator failures) {

    /** Shorter than the operator's patience. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private static final String FIELDS = "(redis|valkey)_version|server_name|redis_mode|role|connected_slaves"
            + "|master_replid|maxmemory_policy|aof_enabled";

    /** Never fails. */
    CompletionStage<Map<String, String>> ask(Duration grace) {
        String id = UUID.randomUUID().toString();
        LockKeys keys = keySpace.ofTrial(id).keysOf(id);
        CompletableFuture<RedisLink> opened = new CompletableFuture<>();
        connections.link(keys.lock(), opened);
        return opened.thenCompose(link -> ask(link.async(), keys, keySpace.mailboxOf(id), connector))
                .exceptionally(failure -> new TreeMap<>(Map.of(
                        "server",
                        failures.ofConnecting(ExceptionCauses.rootOf(failure)).problem())))
                .completeOnTimeout(
                        new TreeMap<>(Map.of("server", "no answer within " + DurationText.exactly(PATIENCE))),
                        PATIENCE.toMillis(),
                        TimeUnit.MILLISECONDS)
                .thenApply(facts -> {
                    facts.put("client", "Lettuce " + LettuceVersion.getVersion());
                    facts.put("topology", topology() + ", grace period " + DurationText.exactly(grace));
                    return facts;
                });
    }

    private String topology() {
        String tls = connector.target().isEncrypted() ? ", TLS" : "";
        if (connector.hasReplicas()) {
            return (connector.hasStaticNodes() ? "static replicas" : "Sentinel") + tls;
        }
        String address = keySpace.isPerSlot() ? "shards behind one address" : "one address";
        return (connector.isCluster() ? "cluster" : address) + tls;
    }

    /** The clock first: other commands would delay the answer. */
    private static CompletionStage<Map<String, String>> ask(
            RedisClusterAsyncCommands<String, String> redis, LockKeys keys, String channel, RedisConnector connector) {
        Instant sent = Instant.now();
        long from = connector.nanoTime();
        CompletableFuture<String> clock =
                text(redis.time(), time -> clock(time, sent, Duration.ofNanos(connector.nanoTime() - from)));
        CompletableFuture<String> server = text(redis.info(), ServerDiagnosis::fieldsOf);
        List<CompletableFuture<String>> refusals = StartCheck.sent(redis, keys, channel).stream()
                .map(command -> text(command, reply -> ""))
                .toList();
        return CompletableFuture.allOf(refusals.toArray(CompletableFuture[]::new))
                .thenCombine(clock, (all, time) -> new TreeMap<>(Map.of("clock", time, "rights", rights(refusals))))
                .thenCombine(server, (facts, info) -> {
                    facts.put("server", info);
                    return facts;
                });
    }

    private static <T> CompletableFuture<String> text(CompletionStage<T> asked, Function<T, String> answered) {
        return asked.thenApply(answered)
                .exceptionally(ServerDiagnosis::reasonOf)
                .toCompletableFuture();
    }

    private static String reasonOf(Throwable failure) {
        Throwable root = ExceptionCauses.rootOf(failure);
        return root instanceof RedisCommandExecutionException refusal
                ? ServerError.of(refusal).text()
                : ExceptionCauses.said(root);
    }

    private static String fieldsOf(String info) {
        return ServerState.of(info).fields().entrySet().stream()
                .filter(field -> field.getKey().matches(FIELDS))
                .map(field -> field.getKey() + ' ' + field.getValue())
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static String rights(List<CompletableFuture<String>> refusals) {
        String refused = refusals.stream()
                .map(refusal -> refusal.getNow("")) // all are complete
                .filter(refusal -> !refusal.isEmpty())
                .distinct()
                .collect(Collectors.joining("; "));
        return refused.isEmpty() ? "no command refused" : "refused: " + refused;
    }

    /** @param time seconds, and microseconds of the second */
    static String clock(List<String> time, Instant sent, Duration trip) {
        Instant server =
                Instant.ofEpochSecond(Long.parseLong(time.get(0))).plus(Long.parseLong(time.get(1)), ChronoUnit.MICROS);
        Duration ahead = Duration.between(sent.plus(trip.dividedBy(2)), server);
        return DurationText.of(ahead.abs()) + (ahead.isNegative() ? " behind" : " ahead of")
                + " this JVM's, by a round trip of " + DurationText.of(trip);
    }
}
