package io.github.lockstarter.demo.sale;

import io.github.lockstarter.sample.sale.Sale;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Result of a sale to a crowd.
 *
 * @param sold successful requests
 * @param left remaining stock in the store
 * @param oversold purchases beyond the stock
 * @param boughtTwice buyers with two purchases
 * @param contended requests that did not get the lock in time
 */
record CrowdResult(
        String product,
        int stock,
        int buyers,
        int requests,
        int sold,
        int left,
        int oversold,
        int boughtTwice,
        int contended) {

    static CrowdResult of(Sale after, int buyers, List<BuyerCrowd.Answer> answers) {
        Map<String, Long> purchases = answers.stream()
                .filter(answer -> answer.outcome() == BuyerCrowd.Outcome.SOLD)
                .collect(Collectors.groupingBy(BuyerCrowd.Answer::buyer, Collectors.counting()));
        int sold = purchases.values().stream().mapToInt(Long::intValue).sum();
        long twice = purchases.values().stream().filter(count -> count > 1).count();
        long contended = answers.stream()
                .filter(answer -> answer.outcome() == BuyerCrowd.Outcome.CONTENDED)
                .count();
        return new CrowdResult(
                after.product(),
                after.stock(),
                buyers,
                answers.size(),
                sold,
                after.left(),
                Math.max(0, sold - after.stock()),
                (int) twice,
                (int) contended);
    }
}
