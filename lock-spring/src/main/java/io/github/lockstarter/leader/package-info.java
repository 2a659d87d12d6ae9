/** Leader election with the application's locks: at most one instance leads a role at a time. */
@NullMarked
package io.github.lockstarter.leader;

import org.jspecify.annotations.NullMarked;
