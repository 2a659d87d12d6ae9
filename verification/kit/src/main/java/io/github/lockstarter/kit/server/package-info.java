/** Servers of the other stores, from the class path or the binaries of this machine. */
@NullMarked
package io.github.lockstarter.kit.server;

import org.jspecify.annotations.NullMarked;
