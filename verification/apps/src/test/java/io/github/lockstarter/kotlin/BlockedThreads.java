package io.github.lockstarter.kotlin;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import reactor.blockhound.BlockHound;

/**
 * Threads that must not block but do: of Reactor, of coroutines, of Lettuce, and those of the lock client that complete
 * futures. Installed once for the JVM.
 */
final class BlockedThreads {

    private static final List<String> MUST_NOT_BLOCK =
            List.of("lock-async-", "lock-callback-", "lock-watchdog-", "lettuce-", "DefaultDispatcher-worker-");

    private static final Queue<String> SEEN = new ConcurrentLinkedQueue<>();

    private BlockedThreads() {}

    static void watch() {
        BlockHound.builder()
                .nonBlockingThreadPredicate(
                        reactor -> reactor.or(thread -> MUST_NOT_BLOCK.stream().anyMatch(thread.getName()::startsWith)))
                // Waiting for work, and for a short critical section.
                .allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "getTask")
                .allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "addWorker")
                .allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "processWorkerExit")
                .allowBlockingCallsInside("java.util.concurrent.locks.ReentrantLock", "lock")
                .allowBlockingCallsInside("java.util.concurrent.locks.StampedLock", "writeLock") // Netty's buffers
                .allowBlockingCallsInside("io.github.lockstarter.engine.TimerThread", "run")
                .allowBlockingCallsInside("io.netty.util.concurrent.SingleThreadEventExecutor", "takeTask")
                .allowBlockingCallsInside("io.netty.channel.nio.NioIoHandler", "run")
                .allowBlockingCallsInside("io.netty.util.HashedWheelTimer$Worker", "run")
                .allowBlockingCallsInside("kotlinx.coroutines.DefaultExecutor", "run")
                // Random bits of the kernel for a lock token, which are always there.
                .allowBlockingCallsInside("io.github.lockstarter.engine.EngineTokens", "next")
                // The log of the tests, and classes that are used first.
                .allowBlockingCallsInside("ch.qos.logback.classic.Logger", "callAppenders")
                .allowBlockingCallsInside("java.util.ServiceLoader$LazyClassPathLookupIterator", "parse")
                .blockingMethodCallback(method -> note(method.toString()))
                .install();
    }

    private static void note(String method) {
        StackTraceElement[] stack = Thread.currentThread().getStackTrace();
        if (!isIdle(stack)) {
            SEEN.add(method + " on " + Thread.currentThread().getName() + " at "
                    + Stream.of(stack)
                            .limit(30)
                            .map(StackTraceElement::toString)
                            .collect(Collectors.joining("\n  ")));
        }
    }

    /**
     * A worker of coroutines that waits for work: its park, and no task, is on top. Or a timer of Netty between two
     * ticks, which is allowed only if it began after this watch.
     */
    private static boolean isIdle(StackTraceElement[] stack) {
        return Stream.of(stack).anyMatch(frame -> frame.getMethodName().equals("waitForNextTick")) || hasNoTask(stack);
    }

    private static boolean hasNoTask(StackTraceElement[] stack) {
        return Stream.of(stack)
                .dropWhile(frame -> !frame.getClassName().equals(LockSupport.class.getName()))
                .skip(1)
                .findFirst()
                .filter(caller -> caller.getClassName().endsWith("CoroutineScheduler$Worker"))
                .isPresent();
    }

    static List<String> seen() {
        return List.copyOf(SEEN);
    }

    static void forget() {
        SEEN.clear();
    }
}
