package io.github.lockstarter.actuate;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockAdmin.Waiter;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * The locks that a request to the endpoint selects.
 *
 * @param key only this one
 * @param page which part of the lists, from 0
 * @param size entries of each list in a page
 */
record LocksQuery(Optional<String> key, int page, int size) {

    static final int SIZE = 100;
    static final int MOST = 1_000;

    static LocksQuery of(@Nullable String key, @Nullable Integer page, @Nullable Integer size) {
        return new LocksQuery(Optional.ofNullable(key), page == null ? 0 : page, size == null ? SIZE : size);
    }

    LocksQuery {
        if (page < 0) {
            throw new InvalidEndpointRequestException("Page " + page + " does not exist; the first is 0", "page");
        }
        if (size < 1 || size > MOST) {
            throw new InvalidEndpointRequestException("A page has 1 to " + MOST + " entries, not " + size, "size");
        }
    }

    LocksPage page(LockAdmin locks, boolean showsKeys) {
        Instant now = Instant.now();
        boolean shown = showsKeys || key.isPresent(); // a caller that names a key knows it
        List<HeldLock> held = locks.heldLocks().snapshot().stream()
                .filter(lock -> isWanted(lock.key()))
                .sorted(Comparator.comparing(HeldLock::key).thenComparing(HeldLock::fencingToken))
                .toList();
        List<Waiter> waiting = locks.waiters().stream()
                .filter(waiter -> isWanted(waiter.key()))
                .sorted(Comparator.comparing(Waiter::key).thenComparing(Waiter::position))
                .toList();
        return new LocksPage(
                locks.instance(),
                page,
                size,
                held.size(),
                waiting.size(),
                cut(held).map(lock -> LocksPage.Held.of(lock, shown)).toList(),
                cut(waiting)
                        .map(waiter -> LocksPage.Waiting.of(waiter, now, shown))
                        .toList(),
                key.map(wanted ->
                                LocksPage.Stored.of(StoreTimeout.await(locks.inspect(wanted), StoredLock.Unknown::new)))
                        .orElse(null));
    }

    private boolean isWanted(String candidate) {
        return key.isEmpty() || key.get().equals(candidate);
    }

    private <T> Stream<T> cut(List<T> all) {
        return all.stream().skip((long) page * size).limit(size);
    }
}
