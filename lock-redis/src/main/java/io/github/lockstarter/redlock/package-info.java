/** One lock on several independent stores, held by whoever has a quorum of them. */
@NullMarked
package io.github.lockstarter.redlock;

import org.jspecify.annotations.NullMarked;
