/**
 * The terms of a hold: what a request comes to with the settings, and who the owner is.
 */
@NullMarked
package io.github.lockstarter.engine.hold;

import org.jspecify.annotations.NullMarked;
