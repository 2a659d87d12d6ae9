/** A quorum of real servers, some of which are down, replaced or forget their locks. */
@NullMarked
package io.github.lockstarter.redlock.scenario;

import org.jspecify.annotations.NullMarked;
