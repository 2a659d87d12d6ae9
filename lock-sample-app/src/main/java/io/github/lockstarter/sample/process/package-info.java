/** Programs that this application starts, and that end with it however it ends. */
@NullMarked
package io.github.lockstarter.sample.process;

import org.jspecify.annotations.NullMarked;
