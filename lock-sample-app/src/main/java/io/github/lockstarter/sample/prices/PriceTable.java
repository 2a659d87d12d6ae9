package io.github.lockstarter.sample.prices;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.sample.SimulatedWork;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/** All prices, in Redis. Requests of all instances read them at the same time, and never while one replaces them. */
@Service
class PriceTable {

    private static final String TABLE = "price-table";

    private final StringRedisTemplate redis;
    private final Duration priceTime;

    PriceTable(StringRedisTemplate redis, @Value("${sample.prices.price-time}") Duration priceTime) {
        this.redis = redis;
        this.priceTime = priceTime;
    }

    @DistributedLock(name = TABLE, mode = LockMode.READ)
    public Map<String, Integer> prices() {
        Map<String, Integer> prices = new TreeMap<>();
        redis.<String, String>opsForHash()
                .entries(TABLE)
                .forEach((item, cents) -> prices.put(item, Integer.valueOf(cents)));
        return prices;
    }

    /** Writes the prices one by one. The ordinary lock of the name excludes readers. */
    @DistributedLock(name = TABLE)
    public Map<String, Integer> replace(Map<String, Integer> prices) {
        redis.delete(TABLE);
        prices.forEach((item, cents) -> {
            SimulatedWork.lasting(priceTime);
            redis.opsForHash().put(TABLE, item, cents.toString());
        });
        return prices;
    }
}
