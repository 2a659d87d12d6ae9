package io.github.lockstarter.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.test.util.ReflectionTestUtils;

/** The invariants in the head comments of {@link KeyLock} and {@link HeldSlots}, as far as their fields show them. */
final class KeyLockInvariants {

    private final ManualEngine engine;

    /** All that were there: they must not get lost. */
    private final Set<Waiter> waiters = new HashSet<>();

    private final Set<Hold> holds = new HashSet<>();

    KeyLockInvariants(ManualEngine engine) {
        this.engine = engine;
    }

    /** Checks a key's object, if there is one. */
    void check(@Nullable KeyLock lock) {
        List<Waiter> line = line(lock);
        List<Waiter> tries = lock == null ? List.of() : get(get(lock, "queue"), "tries");
        List<Hold> present = holds(lock);
        waiters.addAll(line);
        waiters.addAll(tries);
        for (Waiter each : waiters) {
            long places = Stream.of(line.contains(each), tries.contains(each), each.decided != null)
                    .filter(isThere -> isThere)
                    .count();
            engine.check(places == 1, "line 2: a waiter is at " + places + " places");
            engine.check(each.queued == line.contains(each), "line 2: a waiter does not know its place");
        }
        for (Hold each : present) {
            boolean leaving = each.state == Hold.State.LEAVING && each.grant.renewing > 0;
            boolean idle = each.state == Hold.State.IDLE && line.isEmpty() && tries.isEmpty();
            engine.check(each.state == Hold.State.HELD || idle || leaving, "slots 1: the hold is " + each.state);
        }
        List<Integer> slots =
                present.stream().map(each -> (int) each.grant.slot).toList();
        engine.check(slots.equals(slots.stream().distinct().sorted().toList()), "slots 1: holds in slots " + slots);
        holds.addAll(present);
        for (Hold each : holds) {
            boolean owner = present.contains(each) && each.grant.token.equals(engine.store.owner(each.grant.slot));
            engine.check(
                    owner || !(each.isHeld() || each.state == Hold.State.IDLE), "slots 1: a hold is not the owner");
        }
        if (lock != null) {
            int permits =
                    line.stream().mapToInt(each -> each.request.permits()).max().orElse(0);
            boolean allHeld = permits > 0
                    && slots.containsAll(IntStream.range(0, permits).boxed().toList());
            checkProgress(lock, !line.isEmpty(), !tries.isEmpty(), allHeld);
        }
    }

    private static List<Hold> holds(@Nullable KeyLock lock) {
        List<Hold> all = new ArrayList<>();
        for (Hold each = lock == null ? null : get(get(lock, "held"), "holds"); each != null; each = each.next) {
            all.add(each);
        }
        return all;
    }

    static List<Waiter> line(@Nullable KeyLock lock) {
        List<Waiter> line = new ArrayList<>();
        WaitQueue queue = lock == null ? WaitQueue.EMPTY : get(lock, "queue");
        for (Waiter each = queue.first(); each != null; each = each.behind) {
            line.add(each);
        }
        return line;
    }

    private void checkProgress(KeyLock lock, boolean waiting, boolean trying, boolean held) {
        boolean asking = get(lock, "attempt") != null
                || (boolean) get(lock, "withdrawing")
                || (int) get(get(lock, "held"), "requeueing") > 0;
        long lookAt = get(lock, "nextLookAt");
        boolean looking = lookAt != ManualTimer.NEVER && (engine.timer.next <= lookAt || engine.timer.closed);
        engine.check(!trying || asking, "line 3: a stranded try");
        engine.check(!waiting || asking || held || looking, "line 3: a stranded waiter");
        engine.check(!waiting || asking || held || !engine.store.isSignalled(), "line 3: a signal is lost");
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T> T get(Object object, String field) {
        return (T) ReflectionTestUtils.getField(object, field);
    }
}
