/**
 * Auto-configuration of locks, in the store of a {@link io.github.lockstarter.autoconfigure.LockBackendOption} or the
 * application's own backend.
 */
@NullMarked
package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
