package io.github.lockstarter.sample.orders;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Repository;

/**
 * Orders in Redis, one hash {@code sample:order:<orderId>} each: {@code item}, {@code quantity}, {@code fence} (newest
 * fencing token), and once shipped {@code tracking} and {@code shippedWith}. The last number given out is in
 * {@code sample:orders}.
 *
 * <p>Fenced: who wants to change an order {@linkplain #open opens} it with the fencing token of its lock, which
 * registers the token <em>before</em> the order is read; the write checks the token again. A holder that was paused for
 * longer than its lease is refused, whatever it believes.
 */
@Repository
public class OrderStore {

    private static final String LAST_ID = "sample:orders";
    private static final RedisScript<String> FENCE =
            RedisScript.of(new ClassPathResource("fence.lua", OrderStore.class), String.class);
    private static final RedisScript<String> SHIP =
            RedisScript.of(new ClassPathResource("ship.lua", OrderStore.class), String.class);

    private final StringRedisTemplate redis;
    private final HashOperations<String, String, String> hashes;

    OrderStore(StringRedisTemplate redis) {
        this.redis = redis;
        this.hashes = redis.opsForHash();
    }

    /**
     * Stores a new order under the next number.
     *
     * @param order what is ordered
     * @return the stored order
     */
    public Order add(NewOrder order) {
        Long orderId = redis.opsForValue().increment(LAST_ID);
        if (orderId == null) {
            throw new IllegalStateException(
                    "INCR " + LAST_ID + " answered nothing; is this a pipeline or transaction?");
        }
        hashes.putAll(key(orderId), Map.of("item", order.item(), "quantity", Integer.toString(order.quantity())));
        return new Order(orderId, order.item(), order.quantity(), Optional.empty());
    }

    /**
     * Reads an order.
     *
     * @param orderId its number
     * @return the order, if there is one
     */
    public Optional<Order> find(long orderId) {
        Map<String, String> fields = hashes.entries(key(orderId));
        return fields.isEmpty() ? Optional.empty() : Optional.of(order(orderId, fields));
    }

    /**
     * The number of the newest order.
     *
     * @return zero when there is none
     */
    public long lastOrderId() {
        String last = redis.opsForValue().get(LAST_ID);
        return last == null ? 0 : Long.parseLong(last);
    }

    /**
     * Reads an order in order to change it.
     *
     * @param orderId its number
     * @param fencingToken of the lock under which it will be changed
     * @return the order as it was after older holders were shut out
     * @throws OrderException.NotFound when there is none
     * @throws OrderException.Overtaken when a newer holder has opened it
     */
    Order open(long orderId, long fencingToken) {
        run(FENCE, orderId, fencingToken);
        return find(orderId).orElseThrow(() -> new OrderException.NotFound(orderId));
    }

    /**
     * Writes how an order left.
     *
     * @param orderId its number
     * @param shipment what to write; its fencing token is checked
     * @throws OrderException.NotFound when there is no such order
     * @throws OrderException.Overtaken when a newer holder has opened it since; nothing is written
     */
    void ship(long orderId, Shipment shipment) {
        run(SHIP, orderId, shipment.fencingToken(), shipment.trackingNumber());
    }

    private void run(RedisScript<String> script, long orderId, long fencingToken, String... more) {
        Object[] arguments = new Object[1 + more.length];
        arguments[0] = Long.toString(fencingToken);
        System.arraycopy(more, 0, arguments, 1, more.length);
        String outcome = redis.execute(script, List.of(key(orderId)), arguments);
        switch (outcome) {
            case "ok" -> {}
            case "overtaken" -> throw new OrderException.Overtaken(orderId, fencingToken);
            case "missing" -> throw new OrderException.NotFound(orderId);
            default -> throw new IllegalStateException("Unexpected answer '" + outcome + "' about order " + orderId);
        }
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
