/** An explicit-state model of a lock that is detached by one instance and attached by another. */
@NullMarked
package io.github.lockstarter.model.ticket;

import org.jspecify.annotations.NullMarked;
