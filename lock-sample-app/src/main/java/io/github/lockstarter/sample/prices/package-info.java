/** Prices in a cache that one instance loads for all. */
@NullMarked
package io.github.lockstarter.sample.prices;

import org.jspecify.annotations.NullMarked;
