package io.github.lockstarter.sample.orders;

import io.github.lockstarter.DistributedLock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/** Prints labels asynchronously: no thread waits for the printer or for the lock of the next label. */
@Service
public class LabelPrinter {

    private final StringRedisTemplate redis;
    private final Executor printed;

    LabelPrinter(StringRedisTemplate redis, OrderProperties properties) {
        this.redis = redis;
        this.printed = CompletableFuture.delayedExecutor(properties.labelTime().toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Prints another copy of the label. The lock is held until the future completes, so copies get distinct numbers
     * even though the counter is written after printing.
     */
    @DistributedLock(name = "label", key = "#orderId")
    public CompletableFuture<Label> print(long orderId) {
        String copies = "sample:labels:" + orderId;
        String last = redis.opsForValue().get(copies);
        int copy = last == null ? 1 : Integer.parseInt(last) + 1;
        return CompletableFuture.supplyAsync(
                () -> {
                    redis.opsForValue().set(copies, Integer.toString(copy));
                    return new Label(orderId, copy);
                },
                printed);
    }
}
