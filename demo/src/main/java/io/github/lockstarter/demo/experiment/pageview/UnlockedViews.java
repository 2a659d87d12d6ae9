package io.github.lockstarter.demo.experiment.pageview;

import java.util.OptionalLong;
import org.springframework.stereotype.Service;

/** Counts without a lock: two requests that read the same number write the same number. */
@Service
class UnlockedViews {

    private final ViewCounter counter;

    UnlockedViews(ViewCounter counter) {
        this.counter = counter;
    }

    PageView count(String page, String request) {
        return counter.count(new View(Variant.V1, page, request), OptionalLong.empty());
    }
}
