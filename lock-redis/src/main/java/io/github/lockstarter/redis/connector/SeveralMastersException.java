package io.github.lockstarter.redis.connector;

import io.lettuce.core.RedisException;

/** Another master accepts writes to the same keys, so that none of them can keep locks. */
public final class SeveralMastersException extends RedisException {

    /** What to change. */
    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param problem names the server
     * @param remedy one sentence, without full stop
     */
    public SeveralMastersException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    /** {@return what to change} */
    public String remedy() {
        return remedy;
    }
}
