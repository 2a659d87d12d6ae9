/** Servers of locks that are no Redis, each a program of its own. */
@NullMarked
package io.github.lockstarter.demo.experiment.store;

import org.jspecify.annotations.NullMarked;
