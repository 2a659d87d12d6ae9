/**
 * The API of the library: the {@link io.github.lockstarter.DistributedLock @DistributedLock} annotation, {@link
 * io.github.lockstarter.LockOperations}, and their types. Plain Java, without Spring and Redis.
 *
 * <p><em>Not acquired</em> is an answer: an empty {@code Optional} or {@link
 * io.github.lockstarter.LockNotAcquiredException}. <em>Unknown</em> is a {@link
 * io.github.lockstarter.LockBackendException}. <em>Lost</em> is an event ({@link
 * io.github.lockstarter.LockHandle#onLost}) and a {@link io.github.lockstarter.LockLostException}.
 */
@NullMarked
package io.github.lockstarter;

import org.jspecify.annotations.NullMarked;
