/** Settings and clocks of an engine. */
@NullMarked
package io.github.lockstarter.engine.settings;

import org.jspecify.annotations.NullMarked;
