/** Orders, and shipping each of them once: a lock for the common case, its fencing token for the rare one. */
@NullMarked
package io.github.lockstarter.sample.orders;

import org.jspecify.annotations.NullMarked;
