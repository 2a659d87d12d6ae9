package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockRequest;
import java.util.Optional;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * Makes the requests for annotated methods whose locks are granted by a bean of another kind, such as the leaders'. Not
 * a bean itself but listed in {@code META-INF/spring.factories}, since methods are read before there are beans.
 */
public interface LockRequestFactory {

    /** {@return the name of the bean, see {@link DistributedLock#locks()}} */
    String locks();

    /** {@return the request for methods with this {@link DistributedLock#name()}, which must be set} */
    LockRequest requestFor(String name);

    /** {@return what to do if the application does not have the bean} */
    String actionWithoutLocks();

    /** {@return the factory for this bean; empty for locks that take the annotation's own terms} */
    static Optional<LockRequestFactory> of(String locks) {
        return SpringFactoriesLoader.loadFactories(LockRequestFactory.class, LockRequestFactory.class.getClassLoader())
                .stream()
                .filter(factory -> factory.locks().equals(locks))
                .findFirst();
    }
}
