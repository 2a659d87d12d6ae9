package io.github.lockstarter.demo.experiment.pageview;

import java.util.OptionalLong;
import org.springframework.stereotype.Service;

/** Counts one view at a time in this JVM, and knows nothing of the other instances. */
@Service
class SynchronizedViews {

    private final ViewCounter counter;

    SynchronizedViews(ViewCounter counter) {
        this.counter = counter;
    }

    synchronized PageView count(String page, String request) {
        return counter.count(new View(Variant.V2, page, request), OptionalLong.empty());
    }
}
