package io.github.lockstarter.sample.sale;

/**
 * A product on sale.
 *
 * @param product what
 * @param stock how many there were at the start
 * @param left how many are left
 * @param buyers how many have one
 */
public record Sale(String product, int stock, int left, long buyers) {}
