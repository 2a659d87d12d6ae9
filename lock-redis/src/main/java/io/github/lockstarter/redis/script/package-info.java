/**
 * The Lua scripts, their calls, and what their replies mean.
 */
@NullMarked
package io.github.lockstarter.redis.script;

import org.jspecify.annotations.NullMarked;
