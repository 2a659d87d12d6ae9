package io.github.lockstarter.sample.orders;

/**
 * How an order left.
 *
 * @param trackingNumber the carrier's number
 * @param fencingToken fencing token of the lock under which it was written
 */
public record Shipment(String trackingNumber, long fencingToken) {}
