package io.github.lockstarter.sample.sale;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;

/**
 * What became of a sale when a crowd asked at once, each buyer twice.
 *
 * @param product what
 * @param stock how many there were
 * @param buyers how many asked
 * @param requests how often they asked
 * @param sold how many requests were told that they bought one
 * @param left what the store says is left
 * @param oversold how many were sold that there were not
 * @param boughtTwice how many buyers were sold two
 * @param contended how many requests waited for the lock in vain, and bought nothing
 */
record SaleBurst(
        String product,
        int stock,
        int buyers,
        int requests,
        int sold,
        int left,
        int oversold,
        int boughtTwice,
        int contended) {

    /**
     * Reckons what was sold.
     *
     * @param after the sale as the store has it now
     * @param buyers how many asked
     * @param requests how often
     * @param sold the buyer of each purchase
     * @param contended how many requests waited in vain
     */
    static SaleBurst of(Sale after, int buyers, int requests, Collection<String> sold, int contended) {
        long twice = new HashSet<>(sold)
                .stream()
                        .filter(buyer -> Collections.frequency(sold, buyer) > 1)
                        .count();
        return new SaleBurst(
                after.product(),
                after.stock(),
                buyers,
                requests,
                sold.size(),
                after.left(),
                Math.max(0, sold.size() - after.stock()),
                (int) twice,
                contended);
    }
}
