package io.github.lockstarter.sample.sale;

/**
 * One sold.
 *
 * @param product what
 * @param buyer to whom
 * @param left how many are left after it
 * @param fencingToken of the lock under which it was written
 */
public record Purchase(String product, String buyer, int left, long fencingToken) {}
