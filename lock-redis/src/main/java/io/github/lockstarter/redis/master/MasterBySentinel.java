package io.github.lockstarter.redis.master;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The master that sentinels name. The client asks sentinels one after the other, also when it reconnects by itself. So
 * this asks all of them first, and has the client begin with the first one in their order that answers.
 */
public final class MasterBySentinel implements MasterChoice {

    private final RedisClient client;
    private final RedisURI sentinels;

    public MasterBySentinel(RedisClient client, RedisURI sentinels) {
        this.client = client;
        this.sentinels = sentinels;
    }

    @Override
    public Master connect() {
        RedisURI uri = sentinels.getSentinels().size() > 1 ? beginningWith(firstThatAnswers()) : sentinels;
        return new Master(client.connect(StringCodec.UTF8, uri), uri);
    }

    private RedisURI firstThatAnswers() {
        return FirstInOrder.of(
                sentinels.getSentinels().stream().map(this::ask).toList(),
                sentinels.getTimeout(),
                sentinel -> {},
                () -> "no sentinel of " + sentinels.getSentinels() + " names a master '"
                        + sentinels.getSentinelMasterId() + "'");
    }

    private CompletionStage<Optional<RedisURI>> ask(RedisURI sentinel) {
        try {
            RedisURI bounded = RedisURI.builder(sentinel)
                    .withTimeout(sentinels.getTimeout())
                    .build();
            return client.connectSentinelAsync(StringCodec.UTF8, bounded)
                    .thenCompose(connection -> asked(connection, sentinel));
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e); // what the others open must be closed all the same
        }
    }

    private CompletionStage<Optional<RedisURI>> asked(
            StatefulRedisSentinelConnection<String, String> connection, RedisURI sentinel) {
        return connection
                .async()
                .getMasterAddrByName(sentinels.getSentinelMasterId())
                .handle((address, failure) -> {
                    connection.closeAsync();
                    if (failure != null) {
                        throw new CompletionException(failure);
                    }
                    return Optional.ofNullable(address).map(known -> sentinel);
                });
    }

    private RedisURI beginningWith(RedisURI first) {
        RedisURI.Builder uri = RedisURI.builder(sentinels).withSentinelMasterId(sentinels.getSentinelMasterId());
        uri.withSentinel(first);
        List<RedisURI> others = sentinels.getSentinels().stream()
                .filter(sentinel -> !sentinel.equals(first))
                .toList();
        others.forEach(uri::withSentinel);
        return uri.build();
    }
}
