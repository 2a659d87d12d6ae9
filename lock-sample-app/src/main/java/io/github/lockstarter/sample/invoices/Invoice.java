package io.github.lockstarter.sample.invoices;

/** An invoice. Numbers have no gaps and are shared by all orders. */
public record Invoice(long number, long orderId) {}
