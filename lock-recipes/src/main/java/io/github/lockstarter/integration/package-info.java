/** Spring Integration locks and leader events on the application's locks. */
@NullMarked
package io.github.lockstarter.integration;

import org.jspecify.annotations.NullMarked;
