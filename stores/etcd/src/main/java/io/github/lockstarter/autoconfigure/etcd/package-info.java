/** Locks in etcd in a Spring Boot application. */
@NullMarked
package io.github.lockstarter.autoconfigure.etcd;

import org.jspecify.annotations.NullMarked;
