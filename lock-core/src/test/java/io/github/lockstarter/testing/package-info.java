/**
 * What the tests of every module use: child JVMs, checkers of exclusion, gates and scratch directories.
 */
@NullMarked
package io.github.lockstarter.testing;

import org.jspecify.annotations.NullMarked;
