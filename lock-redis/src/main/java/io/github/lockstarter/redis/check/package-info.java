/** Checks of the servers, at startup and for operators. */
@NullMarked
package io.github.lockstarter.redis.check;

import org.jspecify.annotations.NullMarked;
