/** Locks in etcd: the backend, and what it is configured with. */
@NullMarked
package io.github.lockstarter.etcd;

import org.jspecify.annotations.NullMarked;
