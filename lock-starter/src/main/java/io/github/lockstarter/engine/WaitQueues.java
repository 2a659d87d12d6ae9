package io.github.lockstarter.engine;

import io.github.lockstarter.spi.LockToken;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The {@link KeyQueue}s of all keys that somebody in this JVM waits for. A queue leaves the map when it is retired. */
final class WaitQueues {

    private final ConcurrentHashMap<String, KeyQueue> queues = new ConcurrentHashMap<>();
    private final Supplier<LockToken> tokens;
    private final Backoff backoff;
    private final Alarms alarms;

    WaitQueues(Supplier<LockToken> tokens, Backoff backoff, Alarms alarms) {
        this.tokens = tokens;
        this.backoff = backoff;
        this.alarms = alarms;
    }

    Next join(Acquisition acquisition) {
        while (true) {
            KeyQueue queue = queues.computeIfAbsent(acquisition.key, key -> new KeyQueue(tokens, backoff, alarms));
            Next next = queue.join(acquisition);
            if (next != null) {
                return next;
            }
            queues.remove(acquisition.key, queue);
        }
    }

    /** Asks the key's queue, if there is one, and drops it when that was the last of it. */
    Next ask(String key, Function<KeyQueue, Next> question) {
        @Nullable KeyQueue queue = queues.get(key);
        if (queue == null) {
            return Next.NOTHING;
        }
        Next next = question.apply(queue);
        if (queue.isRetired()) {
            queues.remove(key, queue);
        }
        return next;
    }

    boolean has(String key) {
        return queues.containsKey(key);
    }

    List<String> keys() {
        return new ArrayList<>(queues.keySet());
    }
}
