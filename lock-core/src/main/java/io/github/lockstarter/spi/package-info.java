/**
 * The port that a lock backend implements: asynchronous, with sealed results in place of exceptions. Types that say
 * that they are for the modules of this project are no part of the port, and may change with each version.
 */
@NullMarked
package io.github.lockstarter.spi;

import org.jspecify.annotations.NullMarked;
