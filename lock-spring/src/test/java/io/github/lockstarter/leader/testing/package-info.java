/** What the tests of leader election show on each store. */
@NullMarked
package io.github.lockstarter.leader.testing;

import org.jspecify.annotations.NullMarked;
