package io.github.lockstarter.sample.labels;

/**
 * A printed label.
 *
 * @param orderId the order
 * @param copy which copy it is: 1 for the first one
 */
public record Label(long orderId, int copy) {}
