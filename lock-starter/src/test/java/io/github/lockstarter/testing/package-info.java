/**
 * What tests run against: a real Redis that can be paused, killed and restarted, a proxy that loses replies, child JVMs,
 * and the checkers of exclusion.
 */
@NullMarked
package io.github.lockstarter.testing;

import org.jspecify.annotations.NullMarked;
