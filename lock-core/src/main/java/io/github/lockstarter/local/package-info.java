/** Locks inside one JVM, for applications' own tests. Used only on request. */
@NullMarked
package io.github.lockstarter.local;

import org.jspecify.annotations.NullMarked;
