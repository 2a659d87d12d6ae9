package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.redis.connector.RedisUnavailableException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connection factories of the application, of which one leads to the Redis that keeps the locks.
 *
 * @param all every connection factory without a qualifier that hides it
 * @param marked those that are marked for locks
 */
record ApplicationConnectionFactories(
        ObjectProvider<RedisConnectionFactory> all, ObjectProvider<RedisConnectionFactory> marked) {

    private static final String MARK = "@DistributedLockRedisConnectionFactory";

    /**
     * The one that is marked for locks, else the only or primary one.
     *
     * @throws RedisUnavailableException when there is none, or which one is meant is open
     */
    RedisConnectionFactory forLocks() {
        return exists(marked) ? onlyMarked() : onlyOrPrimary();
    }

    private LettuceConnectionFactory onlyMarked() {
        RedisConnectionFactory found = marked.getIfUnique();
        if (found == null) {
            throw new RedisUnavailableException(
                    "Locks are kept in Redis, but the application has several connection factories marked with " + MARK,
                    "Keep the mark on only one of them");
        }
        if (found instanceof LettuceConnectionFactory lettuce) {
            return lettuce;
        }
        throw new RedisUnavailableException(
                "Locks need Lettuce, and the connection factory marked with " + MARK + " is a "
                        + found.getClass().getName(),
                "Mark a LettuceConnectionFactory, or remove the mark: then locks use a Lettuce client of their own, to the"
                        + " Redis of spring.data.redis.*");
    }

    private RedisConnectionFactory onlyOrPrimary() {
        RedisConnectionFactory found = all.getIfUnique();
        if (found != null) {
            return found;
        }
        throw exists(all)
                ? new RedisUnavailableException(
                        "Locks are kept in Redis, but the application has several RedisConnectionFactory beans",
                        "Mark the one for locks with " + MARK + ", or the one for everything with @Primary")
                : new RedisUnavailableException(
                        "Locks are kept in Redis, but the application has no RedisConnectionFactory",
                        "Have Spring Boot configure one: check that its Redis auto-configuration is not excluded, and set"
                                + " spring.data.redis.host. For tests without Redis set distributed-lock.backend=local");
    }

    private static boolean exists(ObjectProvider<RedisConnectionFactory> factories) {
        return factories.stream().findAny().isPresent();
    }
}
