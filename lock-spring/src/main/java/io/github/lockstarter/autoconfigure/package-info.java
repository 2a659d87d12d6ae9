/**
 * Configures locks in a Spring Boot application, over a store that another module declares as a
 * {@link io.github.lockstarter.autoconfigure.LockBackendOption}, or over a backend of the application.
 */
@NullMarked
package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
