package io.github.lockstarter.sample.orders;

/**
 * A printed label.
 *
 * @param orderId the order
 * @param copy number of this copy, from 1
 */
public record Label(long orderId, int copy) {}
