/** The history guard: detects servers that may have forgotten locks (docs/design.md). */
@NullMarked
package io.github.lockstarter.redis.history;

import org.jspecify.annotations.NullMarked;
