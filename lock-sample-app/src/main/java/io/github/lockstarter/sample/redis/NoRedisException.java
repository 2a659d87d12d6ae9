package io.github.lockstarter.sample.redis;

/** Nothing listens on {@code spring.data.redis.*}, and the sample cannot start a Redis of its own. */
final class NoRedisException extends IllegalStateException {

    private NoRedisException(String message, Throwable cause) {
        super(message, cause);
    }

    private NoRedisException(String message) {
        super(message);
    }

    static NoRedisException noBinary() {
        return new NoRedisException("Nothing listens on spring.data.redis.*, and no redis-server is bundled for "
                + System.getProperty("os.name") + " on " + System.getProperty("os.arch"));
    }

    static NoRedisException notStarted(Exception cause) {
        return new NoRedisException(
                "Nothing listens on spring.data.redis.*, and the bundled redis-server did not start: "
                        + cause.getMessage(),
                cause);
    }
}
