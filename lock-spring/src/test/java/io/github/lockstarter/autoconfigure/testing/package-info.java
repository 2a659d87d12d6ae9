/**
 * What the tests of auto-configurations of every module use.
 */
@NullMarked
package io.github.lockstarter.autoconfigure.testing;

import org.jspecify.annotations.NullMarked;
