/** Leader election with the application's locks. */
@NullMarked
package io.github.lockstarter.leader;

import org.jspecify.annotations.NullMarked;
