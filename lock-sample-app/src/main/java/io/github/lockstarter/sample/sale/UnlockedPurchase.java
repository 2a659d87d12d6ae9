package io.github.lockstarter.sample.sale;

/**
 * One sold without a lock, as far as that caller saw.
 *
 * @param product what
 * @param buyer to whom
 * @param left how many are left after it, unless somebody else sold one meanwhile
 */
public record UnlockedPurchase(String product, String buyer, int left) {}
