/** Locks of Spring Integration 7, held as locks of this project; loaded only where Spring Integration is there. */
@NullMarked
package io.github.lockstarter.integration;

import org.jspecify.annotations.NullMarked;
