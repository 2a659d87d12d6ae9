/** The code that the pages in docs show, run. */
@NullMarked
package io.github.lockstarter.guide;

import org.jspecify.annotations.NullMarked;
