/**
 * The API an application imports: the {@link io.github.lockstarter.DistributedLock @DistributedLock} annotation, the
 * {@link io.github.lockstarter.LockTemplate}, and the types that they use. Plain Java, without Spring and Redis.
 *
 * <p>The API distinguishes three kinds of outcome. <em>Not acquired</em> is an answer: an empty {@code Optional} or
 * {@link io.github.lockstarter.LockNotAcquiredException}. <em>Unknown</em> is a
 * {@link io.github.lockstarter.LockBackendException}, also while the store may have forgotten locks
 * ({@link io.github.lockstarter.LockStoreRecoveringException}). <em>Lost</em> is an event
 * ({@link io.github.lockstarter.LockHandle#onLost}) and a {@link io.github.lockstarter.LockLostException}.
 */
@NullMarked
package io.github.lockstarter;

import org.jspecify.annotations.NullMarked;
