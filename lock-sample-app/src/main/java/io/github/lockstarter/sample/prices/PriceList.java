package io.github.lockstarter.sample.prices;

import io.github.lockstarter.sample.SimulatedWork;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

/** Calculates prices, slowly. */
@Service
class PriceList {

    private final AtomicInteger calculations = new AtomicInteger();
    private final Duration priceTime;

    PriceList(@Value("${sample.prices.price-time}") Duration priceTime) {
        this.priceTime = priceTime;
    }

    /**
     * Returns the price from the cache. On a miss, only one caller of all instances calculates it, because {@code
     * distributed-lock.cache.names} contains this cache.
     */
    @Cacheable(cacheNames = "prices", sync = true)
    public Price priceOf(String item) {
        SimulatedWork.lasting(priceTime);
        return new Price(item, 100 * item.length(), calculations.incrementAndGet());
    }
}
