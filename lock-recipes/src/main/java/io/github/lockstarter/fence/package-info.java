/** Fencing in a database or Redis. */
@NullMarked
package io.github.lockstarter.fence;

import org.jspecify.annotations.NullMarked;
