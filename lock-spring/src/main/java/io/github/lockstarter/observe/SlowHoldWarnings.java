package io.github.lockstarter.observe;

import io.github.lockstarter.LockEvent;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Warns of each hold that exceeds {@code warn-after}, with its thread's stack unless it was acquired asynchronously.
 * The listener's thread reads the stack, not the timer's.
 */
final class SlowHoldWarnings extends QueuedListener {

    private static final int MOST_FRAMES = 40;

    public SlowHoldWarnings() {
        super(SlowHoldWarnings.class);
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.HeldLong heldLong) {
            add(heldLong, () -> warn(heldLong));
        }
    }

    private static void warn(LockEvent.HeldLong event) {
        String activity = event.thread()
                .map(SlowHoldWarnings::activity)
                .orElse("It was acquired asynchronously: no thread is known to work under it");
        LockLog.warn(event, "Lock '{}' (fencing token {}) has been held for {}. {}", event.held(), activity);
    }

    private static String activity(Thread thread) {
        String holder = "Thread '" + thread.getName() + "', which acquired it, ";
        StackTraceElement[] frames = thread.getStackTrace();
        return frames.length == 0 && !thread.isAlive()
                ? holder + "has terminated. Release the lock in a finally block; use LockRequest.ownedByHandle() if"
                        + " another thread is to release it"
                : holder + "is now " + stack(frames);
    }

    private static String stack(StackTraceElement[] frames) {
        return Arrays.stream(frames)
                .limit(MOST_FRAMES)
                .map(frame -> System.lineSeparator() + "\tat " + frame)
                .collect(Collectors.joining("", "at", ""));
    }
}
