/** The Lua scripts, their calls and their replies. */
@NullMarked
package io.github.lockstarter.redis.script;

import org.jspecify.annotations.NullMarked;
