/** What the pages in docs promise of several JVMs, run. */
@NullMarked
package io.github.lockstarter.guide;

import org.jspecify.annotations.NullMarked;
