/** Common tools of the tests of every module: checkers of exclusion, crowds of threads, and the effort of a search. */
@NullMarked
package io.github.lockstarter.testing;

import org.jspecify.annotations.NullMarked;
