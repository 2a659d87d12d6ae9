package io.github.lockstarter.redis.connection;

/** A user of the link to Redis. One of the methods is called, once; neither throws. */
public interface LinkCallback {

    /** It is open. */
    void onOpen(RedisLink opened);

    /** It could not be opened. */
    void onFailure(Throwable failure);
}
