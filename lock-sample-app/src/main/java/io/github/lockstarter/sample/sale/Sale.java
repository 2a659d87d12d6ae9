package io.github.lockstarter.sample.sale;

/**
 * A product on sale.
 *
 * @param stock initial stock
 * @param left remaining stock
 * @param buyers number of purchases
 */
public record Sale(String product, int stock, int left, long buyers) {}
