package io.github.lockstarter.autoconfigure.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Native-image hints for the scripts and the field that {@link ApplicationRedis} reads. */
final class RedisRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("io/github/lockstarter/redis/script/*.lua");
        hints.reflection()
                .registerType(LettuceConnectionFactory.class, hint -> hint.withField(ApplicationRedis.SETUP_FIELD));
    }
}
