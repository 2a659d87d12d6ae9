/** Servers of other stores, from programs that their users have on the class path or on this machine. */
@NullMarked
package io.github.lockstarter.kit.server;

import org.jspecify.annotations.NullMarked;
