/** The Redis backend against real servers. */
@NullMarked
package io.github.lockstarter.redis;

import org.jspecify.annotations.NullMarked;
