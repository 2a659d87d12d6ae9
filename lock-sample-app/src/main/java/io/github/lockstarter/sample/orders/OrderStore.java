package io.github.lockstarter.sample.orders;

import io.github.lockstarter.fence.OvertakenException;
import io.github.lockstarter.fence.RedisFences;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Repository;

/**
 * Orders in Redis, one hash {@code sample:order:<orderId>} each: {@code item}, {@code quantity} and, once shipped,
 * {@code tracking} and {@code shippedWith}. {@code sample:orders} contains the last assigned number.
 *
 * <p>Fenced: a caller {@linkplain #open opens} an order under its lock <em>before</em> reading it. Redis then rejects
 * writes by earlier holders, which were paused for longer than their lease.
 */
@Repository
public class OrderStore {

    private static final String LAST_ID = "sample:orders";
    private static final RedisScript<Boolean> OPEN =
            RedisScript.of("return redis.call('EXISTS', KEYS[1])", Boolean.class);
    private static final RedisScript<Long> SHIP = RedisScript.of(
            "return redis.call('HSET', KEYS[1], 'tracking', ARGV[1], 'shippedWith', ARGV[2])", Long.class);

    private final StringRedisTemplate redis;
    private final HashOperations<String, String, String> hashes;
    private final RedisFences fences;

    OrderStore(StringRedisTemplate redis, RedisFences fences) {
        this.redis = redis;
        this.fences = fences;
        this.hashes = redis.opsForHash();
    }

    /** Stores a new order under the next number. */
    public Order add(NewOrder order) {
        Long orderId = redis.opsForValue().increment(LAST_ID);
        if (orderId == null) {
            throw new IllegalStateException(
                    "INCR " + LAST_ID + " answered nothing; is this a pipeline or transaction?");
        }
        hashes.putAll(key(orderId), Map.of("item", order.item(), "quantity", Integer.toString(order.quantity())));
        return new Order(orderId, order.item(), order.quantity(), Optional.empty());
    }

    public Optional<Order> find(long orderId) {
        Map<String, String> fields = hashes.entries(key(orderId));
        return fields.isEmpty() ? Optional.empty() : Optional.of(order(orderId, fields));
    }

    /** Returns the number of the newest order, or 0 if there is none. */
    public long lastOrderId() {
        String last = redis.opsForValue().get(LAST_ID);
        return last == null ? 0 : Long.parseLong(last);
    }

    /**
     * Reads an order in order to change it, under its lock, and shuts out earlier holders of that lock.
     *
     * @throws OrderException.NotFound if the order does not exist
     * @throws OvertakenException if a later holder of the lock has opened the order
     */
    Order open(long orderId) {
        fences.run(OPEN, List.of(key(orderId)));
        return find(orderId).orElseThrow(() -> new OrderException.NotFound(orderId));
    }

    /**
     * Writes the shipment of an opened order, under the same lock.
     *
     * @throws OvertakenException if a later holder of the lock has opened the order; nothing is written
     */
    void ship(long orderId, Shipment shipment) {
        fences.run(SHIP, List.of(key(orderId)), shipment.trackingNumber(), Long.toString(shipment.fencingToken()));
    }

    private static Order order(long orderId, Map<String, String> fields) {
        Optional<Shipment> shipment = Optional.ofNullable(fields.get("tracking"))
                .map(tracking -> new Shipment(tracking, Long.parseLong(field(orderId, fields, "shippedWith"))));
        return new Order(
                orderId,
                field(orderId, fields, "item"),
                Integer.parseInt(field(orderId, fields, "quantity")),
                shipment);
    }

    private static String field(long orderId, Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalStateException("Hash " + key(orderId) + " has no field '" + name + "'");
        }
        return value;
    }

    private static String key(long orderId) {
        return "sample:order:" + orderId;
    }
}
