package io.github.lockstarter.sample.redis;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Says which Redis the application uses, for its start message. */
@Component
public class RedisInUse {

    private final ConfiguredRedis configured;
    private final ObjectProvider<EmbeddedRedis> embedded;

    RedisInUse(Environment environment, ObjectProvider<EmbeddedRedis> embedded) {
        this.configured = ConfiguredRedis.in(environment);
        this.embedded = embedded;
    }

    /**
     * The address in words, and why this one.
     *
     * @return one line
     */
    public String description() {
        EmbeddedRedis own = embedded.getIfAvailable();
        return own == null
                ? "the one at " + configured.description() + " (spring.data.redis.*)"
                : "its own " + RedisBinary.VERSION + " at " + own.address() + ", since nothing listens on "
                        + configured.description() + "; it ends with this application";
    }
}
