package io.github.lockstarter.sample.orders;

/** A shipment and the fencing token under which it was written. */
public record Shipment(String trackingNumber, long fencingToken) {}
