/** Redlock: one lock on several independent stores, held by the owner that a quorum granted it. */
@NullMarked
package io.github.lockstarter.redlock;

import org.jspecify.annotations.NullMarked;
