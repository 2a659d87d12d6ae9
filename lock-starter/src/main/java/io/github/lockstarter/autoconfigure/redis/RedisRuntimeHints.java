package io.github.lockstarter.autoconfigure.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Native-image hint for the field that {@link ApplicationRedis} reads; lock-redis brings that for its scripts. */
final class RedisRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.reflection()
                .registerType(LettuceConnectionFactory.class, hint -> hint.withField(ApplicationRedis.SETUP_FIELD));
    }
}
