/**
 * How the engine behaves: what is configured, and what a request comes to with it.
 */
@NullMarked
package io.github.lockstarter.engine.settings;

import org.jspecify.annotations.NullMarked;
