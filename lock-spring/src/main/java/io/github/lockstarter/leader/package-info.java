/** Leader election over the locks of an application: one instance at a time leads a role. */
@NullMarked
package io.github.lockstarter.leader;

import org.jspecify.annotations.NullMarked;
