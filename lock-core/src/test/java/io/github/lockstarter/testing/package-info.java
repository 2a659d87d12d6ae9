/**
 * What the tests of every module use: checkers of exclusion, crowds of threads, and how far a search goes.
 */
@NullMarked
package io.github.lockstarter.testing;

import org.jspecify.annotations.NullMarked;
