package io.github.lockstarter.sample.sale;

/**
 * A completed purchase.
 *
 * @param left remaining stock after this purchase
 * @param fencingToken fencing token under which it was written
 */
public record Purchase(String product, String buyer, int left, long fencingToken) {}
