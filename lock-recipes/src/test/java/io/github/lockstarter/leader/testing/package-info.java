/** Tests of leader election on each store. */
@NullMarked
package io.github.lockstarter.leader.testing;

import org.jspecify.annotations.NullMarked;
