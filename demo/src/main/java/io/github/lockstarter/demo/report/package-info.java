/** Tries the locks on a server that somebody else runs, and reports what it saw. */
@NullMarked
package io.github.lockstarter.demo.report;

import org.jspecify.annotations.NullMarked;
