/** Auto-configuration of leader election, caches and fences. */
@NullMarked
package io.github.lockstarter.autoconfigure.recipes;

import org.jspecify.annotations.NullMarked;
