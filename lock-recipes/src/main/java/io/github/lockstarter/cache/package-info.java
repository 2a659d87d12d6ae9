/** Caches whose missing values only one instance loads. */
@NullMarked
package io.github.lockstarter.cache;

import org.jspecify.annotations.NullMarked;
