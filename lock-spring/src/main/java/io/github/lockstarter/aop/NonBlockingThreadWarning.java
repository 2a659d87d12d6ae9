package io.github.lockstarter.aop;

import io.github.lockstarter.LockRequest;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.NonBlocking;

/**
 * Warns once for each locked method that blocks on a thread of Reactor that must not block, such as an event loop.
 *
 * <p>The one mutable field is the set of methods that were warned of, written by the threads that call them.
 */
final class NonBlockingThreadWarning {

    private static final Logger log = LoggerFactory.getLogger(NonBlockingThreadWarning.class);

    private static final boolean THERE_ARE =
            ClassUtils.isPresent("reactor.core.scheduler.NonBlocking", NonBlockingThreadWarning.class.getClassLoader());

    private final Set<Method> warned = ConcurrentHashMap.newKeySet();

    /** Called before the lock is acquired. That of a leader is entered without a wait. */
    void warn(LockedMethod method, LockRequest request) {
        if (THERE_ARE && !method.isLeaders() && Reactor.isOnNonBlockingThread() && warned.add(method.method())) {
            log.warn(
                    "{} waits for lock '{}' on thread {}, which must not block: all that this thread serves waits too. Return "
                            + "a Mono, or call the method on Schedulers.boundedElastic()",
                    InvalidLockDeclarationException.describe(method.method()),
                    LockRequest.printable(String.join(", ", request.keys())),
                    Thread.currentThread().getName());
        }
    }

    /** Apart, since it is linked only where Reactor is there. */
    private static final class Reactor {

        private Reactor() {}

        static boolean isOnNonBlockingThread() {
            return Thread.currentThread() instanceof NonBlocking;
        }
    }
}
