/** Locks inside one JVM, for applications' own tests. Never used unless it is asked for. */
@NullMarked
package io.github.lockstarter.local;

import org.jspecify.annotations.NullMarked;
