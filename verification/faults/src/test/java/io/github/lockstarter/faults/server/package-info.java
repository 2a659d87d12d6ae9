/** Servers of the fault lab that are not of Redis, as processes of this machine. */
@NullMarked
package io.github.lockstarter.faults.server;

import org.jspecify.annotations.NullMarked;
