package io.github.lockstarter.redis.connector;

import io.github.lockstarter.spi.BackendGuard;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.sentinel.api.async.RedisSentinelAsyncCommands;
import java.net.SocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the master through sentinels. Lettuce asks sentinels one after another, on reconnects too. So this asks all in
 * parallel, and puts those that name the same server as most others at the head of Lettuce's list: a sentinel that has
 * just returned beside an old master names that one until the others correct it. Even if it answers first, it is only
 * chosen when the others have not answered in time.
 */
final class MasterBySentinel extends MasterConnector {

    private final RedisURI sentinels;

    MasterBySentinel(RedisClient client, RedisURI sentinels, Target target, Runnable closing) {
        super(client, target, closing);
        this.sentinels = sentinels;
    }

    @Override
    public boolean isPromotedBySentinels() {
        return true;
    }

    @Override
    Master connectToMaster() {
        RedisURI uri = sentinels.getSentinels().size() > 1 ? beginningWith(majority()) : sentinels;
        return new Master(client.connect(StringCodec.UTF8, uri), uri);
    }

    /** {@inheritDoc} Checks all replicas that any sentinel reports, and at least one. */
    @Override
    public CompletionStage<Boolean> haveAll(Replication written) {
        List<CompletableFuture<List<RedisURI>>> asked = sentinels.getSentinels().stream()
                .map(sentinel -> replicasKnownTo(sentinel).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .handle((all, failure) -> asked.stream()
                        .filter(answer -> !answer.isCompletedExceptionally())
                        .flatMap(answer -> answer.getNow(List.of()).stream())
                        .collect(Collectors.toSet()))
                .thenCompose(replicas ->
                        replicas.isEmpty() ? CompletableFuture.completedFuture(false) : haveAll(replicas, written));
    }

    private CompletionStage<List<RedisURI>> replicasKnownTo(RedisURI sentinel) {
        return ask(sentinel, redis -> redis.replicas(sentinels.getSentinelMasterId()))
                .thenApply(replicas -> replicas.stream().map(this::uriOf).toList());
    }

    private RedisURI uriOf(Map<String, String> replica) {
        RedisURI uri =
                RedisURI.create(replica.getOrDefault("ip", ""), Integer.parseInt(replica.getOrDefault("port", "0")));
        uri.setCredentialsProvider(sentinels.getCredentialsProvider());
        uri.setSsl(sentinels.isSsl());
        uri.setStartTls(sentinels.isStartTls());
        uri.setVerifyPeer(sentinels.getVerifyMode());
        uri.setTimeout(sentinels.getTimeout());
        return uri;
    }

    /** The sentinels that name the most named server: more than half of all, or else most of those that answer. */
    private List<RedisURI> majority() {
        List<SentinelAnswer> answers = ParallelQuery.results(
                sentinels.getSentinels().stream().map(this::masterKnownTo).toList(),
                sentinels.getTimeout(),
                known -> bySize(known).stream().anyMatch(this::isMajority),
                answer -> {},
                () -> "no sentinel of " + sentinels.getSentinels() + " names a master '"
                        + sentinels.getSentinelMasterId() + "'");
        List<List<SentinelAnswer>> bySize = bySize(answers);
        if (bySize.size() > 1 && bySize.get(0).size() == bySize.get(1).size()) {
            throw new RedisException("the sentinels do not agree on the master '" + sentinels.getSentinelMasterId()
                    + "': they name "
                    + answers.stream().map(SentinelAnswer::master).distinct().toList());
        }
        return bySize.get(0).stream().map(SentinelAnswer::sentinel).toList();
    }

    private boolean isMajority(List<SentinelAnswer> alike) {
        return alike.size() > sentinels.getSentinels().size() / 2;
    }

    private static List<List<SentinelAnswer>> bySize(List<SentinelAnswer> answers) {
        return answers.stream().collect(Collectors.groupingBy(SentinelAnswer::master)).values().stream()
                .sorted(Comparator.comparing(List<SentinelAnswer>::size).reversed())
                .toList();
    }

    private record SentinelAnswer(RedisURI sentinel, SocketAddress master) {}

    private CompletionStage<Optional<SentinelAnswer>> masterKnownTo(RedisURI sentinel) {
        return ask(sentinel, redis -> redis.getMasterAddrByName(sentinels.getSentinelMasterId()))
                .thenApply(address -> Optional.ofNullable(address).map(known -> new SentinelAnswer(sentinel, known)));
    }

    /** Throws nothing: other sentinels may answer. */
    private <T extends @Nullable Object> CompletionStage<T> ask(
            RedisURI sentinel, Function<RedisSentinelAsyncCommands<String, String>, CompletionStage<T>> question) {
        RedisURI bounded =
                RedisURI.builder(sentinel).withTimeout(sentinels.getTimeout()).build();
        return BackendGuard.stageOf(() -> client.connectSentinelAsync(StringCodec.UTF8, bounded)
                .thenCompose(connection ->
                        question.apply(connection.async()).whenComplete((answer, failure) -> connection.closeAsync())));
    }

    private RedisURI beginningWith(List<RedisURI> first) {
        RedisURI.Builder uri = RedisURI.builder(sentinels).withSentinelMasterId(sentinels.getSentinelMasterId());
        Stream.concat(first.stream(), sentinels.getSentinels().stream())
                .distinct()
                .forEach(uri::withSentinel);
        return uri.build();
    }
}
