/** Auto-configuration of locks in Redis. */
@NullMarked
package io.github.lockstarter.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
