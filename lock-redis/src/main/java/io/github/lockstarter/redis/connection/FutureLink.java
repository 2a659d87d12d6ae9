package io.github.lockstarter.redis.connection;

import java.util.concurrent.CompletableFuture;

/** The link to a server as a future, which fails if the link cannot be opened. */
final class FutureLink extends CompletableFuture<RedisLink> implements LinkCallback {

    @Override
    public void onOpen(RedisLink opened) {
        complete(opened);
    }

    @Override
    public void onFailure(Throwable failure) {
        completeExceptionally(failure);
    }
}
