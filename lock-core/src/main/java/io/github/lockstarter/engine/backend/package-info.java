/**
 * The way to the lock store: calls whose every outcome is an answer, lock tokens, and releases that are repeated until
 * answered.
 */
@NullMarked
package io.github.lockstarter.engine.backend;

import org.jspecify.annotations.NullMarked;
