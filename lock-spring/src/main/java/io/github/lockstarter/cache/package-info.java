/** Caches of the application whose missing values are loaded once over all its instances. */
@NullMarked
package io.github.lockstarter.cache;

import org.jspecify.annotations.NullMarked;
