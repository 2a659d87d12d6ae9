/**
 * The API an application imports: the {@link io.github.lockstarter.DistributedLock @DistributedLock} annotation, the
 * {@link io.github.lockstarter.LockTemplate} and what they hand out. Plain Java: nothing in here knows Spring or Redis.
 *
 * <p>Three kinds of outcome are never mixed. <em>Not acquired</em> is an answer: an empty {@code Optional} or
 * {@link io.github.lockstarter.LockNotAcquiredException}. <em>Cannot tell</em> is a
 * {@link io.github.lockstarter.LockBackendException}, also while the store may have forgotten locks
 * ({@link io.github.lockstarter.LockStoreRecoveringException}). <em>Lost</em> is an event
 * ({@link io.github.lockstarter.LockHandle#onLost}) and a {@link io.github.lockstarter.LockLostException}.
 */
@NullMarked
package io.github.lockstarter;

import org.jspecify.annotations.NullMarked;
