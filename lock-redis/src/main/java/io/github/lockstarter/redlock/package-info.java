/** One lock on several independent stores, held by the owner that has a quorum of them. */
@NullMarked
package io.github.lockstarter.redlock;

import org.jspecify.annotations.NullMarked;
