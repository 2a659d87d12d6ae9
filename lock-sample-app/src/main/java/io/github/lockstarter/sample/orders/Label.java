package io.github.lockstarter.sample.orders;

/**
 * A printed label.
 *
 * @param copy number of the copy, starting at 1
 */
public record Label(long orderId, int copy) {}
