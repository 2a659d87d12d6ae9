package io.github.lockstarter.sample.prices;

import java.io.Serializable;

/**
 * The price of an item.
 *
 * @param calculation number of the calculation in the instance that calculated the price
 */
record Price(String item, int cents, int calculation) implements Serializable {}
