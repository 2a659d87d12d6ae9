/** Prices: in a cache that one instance loads for all, and in a table that many read and one replaces. */
@NullMarked
package io.github.lockstarter.sample.prices;

import org.jspecify.annotations.NullMarked;
