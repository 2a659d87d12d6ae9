/**
 * What is held: grant, life cycle, handle, and how a loss is detected.
 */
@NullMarked
package io.github.lockstarter.engine.hold;

import org.jspecify.annotations.NullMarked;
