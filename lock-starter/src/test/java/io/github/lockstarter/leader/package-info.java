/** Leader election on Redis: instances that crash, pause, or lose their connections. */
@NullMarked
package io.github.lockstarter.leader;

import org.jspecify.annotations.NullMarked;
