/** Auto-configuration of locks in a quorum of Redis servers. */
@NullMarked
package io.github.lockstarter.autoconfigure.redlock;

import org.jspecify.annotations.NullMarked;
