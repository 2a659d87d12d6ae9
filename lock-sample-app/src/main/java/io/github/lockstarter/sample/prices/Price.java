package io.github.lockstarter.sample.prices;

import java.io.Serializable;

/**
 * What an item costs.
 *
 * @param item its name
 * @param cents the price
 * @param calculation number of the calculation in the instance that did it
 */
record Price(String item, int cents, int calculation) implements Serializable {}
