package io.github.lockstarter.redis.connector;

import io.lettuce.core.RedisException;
import java.util.List;

/** Several of the configured servers report the role of the master, so that none of them can keep locks. */
public final class SeveralMastersException extends RedisException {

    /** @param masters addresses */
    SeveralMastersException(List<String> masters) {
        super(String.join(" and ", masters) + " report that they are the master");
    }
}
