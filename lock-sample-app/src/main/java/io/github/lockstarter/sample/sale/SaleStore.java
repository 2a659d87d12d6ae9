package io.github.lockstarter.sample.sale;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Repository;

/**
 * Sales in Redis. The hash {@code sample:sale:{<product>}} contains {@code stock}, {@code left} and {@code fence}
 * (newest fencing token); the hash {@code sample:sale:{<product>}:buyers} maps each buyer to the fencing token of the
 * purchase.
 *
 * <p>Callers read the stock and write the decremented number, which is safe under the lock and, after a pause longer
 * than the lease, with the fencing token: {@link #open} registers it <em>before</em> the sale is read, and {@link
 * #sell} checks it again.
 *
 * <p>The Redis client may send a command twice if the connection is lost before the reply. {@link #sell} then finds
 * its own purchase, even if a newer holder has opened the sale in between.
 */
@Repository
class SaleStore {

    private static final RedisScript<String> OFFER = script("offer.lua");
    private static final RedisScript<String> FENCE = script("fence.lua");
    private static final RedisScript<String> SELL = script("sell.lua");

    private final StringRedisTemplate redis;

    SaleStore(StringRedisTemplate redis) {
        this.redis = redis;
    }

    /**
     * Puts a product on sale.
     *
     * @throws SaleException.AlreadyOnSale if the product is already on sale
     */
    void offer(NewSale sale) {
        String outcome = redis.execute(OFFER, List.of(saleKey(sale.product())), Integer.toString(sale.stock()));
        if (!outcome.equals("ok")) {
            throw new SaleException.AlreadyOnSale(sale.product());
        }
    }

    Optional<Sale> find(String product) {
        Map<Object, Object> fields = redis.opsForHash().entries(saleKey(product));
        if (fields.isEmpty()) {
            return Optional.empty();
        }
        long buyers = redis.opsForHash().size(buyersKey(product));
        return Optional.of(new Sale(product, number(fields, "stock"), number(fields, "left"), buyers));
    }

    boolean hasBought(String product, String buyer) {
        return redis.opsForHash().hasKey(buyersKey(product), buyer);
    }

    /**
     * Reads a sale in order to sell one, and shuts out earlier holders of the lock.
     *
     * @throws SaleException.NotOnSale if the product is not on sale
     * @throws SaleException.Overtaken if a newer holder has opened the sale
     */
    Sale open(String product, long fencingToken) {
        String outcome = redis.execute(FENCE, List.of(saleKey(product)), Long.toString(fencingToken));
        demandOk(outcome, product, fencingToken);
        return find(product).orElseThrow(() -> new SaleException.NotOnSale(product));
    }

    /**
     * Writes a purchase, once.
     *
     * @throws SaleException.NotOnSale if the product is not on sale
     * @throws SaleException.BoughtBefore if the buyer already has one from another purchase
     * @throws SaleException.Overtaken if a newer holder has opened the sale
     */
    void sell(Purchase purchase) {
        String product = purchase.product();
        String outcome = redis.execute(
                SELL,
                List.of(saleKey(product), buyersKey(product)),
                Long.toString(purchase.fencingToken()),
                Integer.toString(purchase.left()),
                purchase.buyer());
        if (outcome.equals("bought")) {
            throw new SaleException.BoughtBefore(product, purchase.buyer());
        }
        demandOk(outcome, product, purchase.fencingToken());
    }

    private static void demandOk(String outcome, String product, long fencingToken) {
        switch (outcome) {
            case "ok" -> {}
            case "overtaken" -> throw new SaleException.Overtaken(product, fencingToken);
            case "missing" -> throw new SaleException.NotOnSale(product);
            default -> throw new IllegalStateException("Unexpected answer '" + outcome + "' about sale " + product);
        }
    }

    private static int number(Map<Object, Object> fields, String name) {
        return Integer.parseInt(String.valueOf(fields.get(name)));
    }

    private static RedisScript<String> script(String name) {
        return RedisScript.of(new ClassPathResource(name, SaleStore.class), String.class);
    }

    /** The braces keep both hashes of a sale in one cluster slot, which a script requires. */
    private static String saleKey(String product) {
        return "sample:sale:{" + product + "}";
    }

    private static String buyersKey(String product) {
        return saleKey(product) + ":buyers";
    }
}
