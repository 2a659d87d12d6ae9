/** Common tools of the tests of auto-configurations in every module. */
@NullMarked
package io.github.lockstarter.autoconfigure.testing;

import org.jspecify.annotations.NullMarked;
