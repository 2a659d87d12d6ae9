package io.github.lockstarter.demo.sale;

import io.github.lockstarter.sample.sale.Sale;
import io.github.lockstarter.sample.sale.SaleService;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * Sells like {@link SaleService}, but without lock and fencing token: two callers that read the same stock both sell
 * and write the same remainder.
 */
@Component
class UnlockedSale {

    private final SaleService sales;
    private final StringRedisTemplate redis;

    UnlockedSale(SaleService sales, StringRedisTemplate redis) {
        this.sales = sales;
        this.redis = redis;
    }

    /** Returns false if this caller sees no remaining stock, or the buyer already has one. */
    boolean buy(String product, String buyer) {
        String key = "sample:sale:{" + product + "}";
        Sale sale = sales.find(product);
        if (sale.left() == 0 || redis.opsForHash().hasKey(key + ":buyers", buyer)) {
            return false;
        }
        redis.opsForHash().put(key, "left", Integer.toString(sale.left() - 1));
        redis.opsForHash().put(key + ":buyers", buyer, "unlocked");
        return true;
    }
}
