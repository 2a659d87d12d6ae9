/** A flash sale that never oversells and sells at most one to each buyer, regardless of the number of instances. */
@NullMarked
package io.github.lockstarter.sample.sale;

import org.jspecify.annotations.NullMarked;
