/**
 * Renews what is held, and notices when the machine was suspended.
 */
@NullMarked
package io.github.lockstarter.engine.renewal;

import org.jspecify.annotations.NullMarked;
