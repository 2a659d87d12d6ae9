package io.github.lockstarter.sample.orders;

import io.github.lockstarter.DistributedLock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/** Prints labels. The printer takes a while, in which no thread waits for it, nor for the lock of the next label. */
@Service
public class LabelPrinter {

    private final StringRedisTemplate redis;
    private final Executor printed;

    LabelPrinter(StringRedisTemplate redis, OrderProperties properties) {
        this.redis = redis;
        this.printed = CompletableFuture.delayedExecutor(properties.labelTime().toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Prints the label of an order once more. The lock is held until the future completes, so that each copy has a
     * number of its own, although its count is written after the print.
     *
     * @param orderId the order
     * @return the label, once it is printed
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
