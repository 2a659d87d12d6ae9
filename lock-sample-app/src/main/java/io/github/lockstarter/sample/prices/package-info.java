/** Prices, which are calculated once for all instances and kept in a cache. */
@NullMarked
package io.github.lockstarter.sample.prices;

import org.jspecify.annotations.NullMarked;
