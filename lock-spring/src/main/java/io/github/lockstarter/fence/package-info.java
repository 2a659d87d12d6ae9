/** Has the protected resource itself, a database or Redis, refuse a holder that has lost its lock. */
@NullMarked
package io.github.lockstarter.fence;

import org.jspecify.annotations.NullMarked;
