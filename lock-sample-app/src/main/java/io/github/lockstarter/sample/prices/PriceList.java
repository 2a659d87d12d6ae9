package io.github.lockstarter.sample.prices;

import io.github.lockstarter.sample.SimulatedWork;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

/** Calculates prices, which takes its time. */
@Service
class PriceList {

    private final AtomicInteger calculations = new AtomicInteger();
    private final Duration priceTime;

    PriceList(@Value("${sample.prices.price-time}") Duration priceTime) {
        this.priceTime = priceTime;
    }

    /**
     * The price of an item, from the cache. If it is missing, one call of all instances calculates it: the cache is
     * named in {@code distributed-lock.cache.names}.
     *
     * @param item its name
     * @return the price
     */
    @Cacheable(cacheNames = "prices", sync = true)
    public Price priceOf(String item) {
        SimulatedWork.lasting(priceTime);
        return new Price(item, 100 * item.length(), calculations.incrementAndGet());
    }
}
