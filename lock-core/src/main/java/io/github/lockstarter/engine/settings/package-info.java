/**
 * What an engine is made with: settings and clocks.
 */
@NullMarked
package io.github.lockstarter.engine.settings;

import org.jspecify.annotations.NullMarked;
