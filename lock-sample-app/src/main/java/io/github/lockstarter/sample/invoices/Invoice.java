package io.github.lockstarter.sample.invoices;

/**
 * An invoice.
 *
 * @param number its number: one above that of the invoice before, whichever order that was for
 * @param orderId the order
 */
public record Invoice(long number, long orderId) {}
