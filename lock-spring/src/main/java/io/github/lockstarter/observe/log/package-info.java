/**
 * What the starter writes into the log of the application.
 */
@NullMarked
package io.github.lockstarter.observe.log;

import org.jspecify.annotations.NullMarked;
