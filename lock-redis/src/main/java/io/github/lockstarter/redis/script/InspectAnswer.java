package io.github.lockstarter.redis.script;

import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.StoredLock.Holder;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads the reply of the script that looks at a lock. */
public final class InspectAnswer implements ReplyReader<List<String>, StoredLock> {

    /** The owner is none of these clients. */
    private static final String FOREIGN = "?";

    @Override
    public StoredLock of(List<String> texts) {
        String owner = texts.get(0);
        long remaining = Long.parseLong(texts.get(1));
        long fencingToken = fencingToken(texts.get(2));
        long waiting = Long.parseLong(texts.get(3));
        if (owner.isEmpty()) {
            String recovering = texts.get(4);
            return new StoredLock.Free(
                    fencingToken,
                    waiting,
                    recovering.isEmpty() ? Duration.ZERO : Duration.ofMillis(Long.parseLong(recovering)));
        }
        Optional<Holder> holder = owner.equals(FOREIGN) ? Optional.empty() : Optional.of(LockToken.holderOf(owner));
        Optional<Duration> lease = remaining < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(remaining));
        return new StoredLock.Held(holder, lease, fencingToken, waiting);
    }

    /** Garbage counts as never granted, as it does to the acquire script. */
    private static long fencingToken(String text) {
        try {
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    @Override
    public StoredLock failed(RedisFailure failure) {
        return new StoredLock.Unknown(failure.reason());
    }
}
