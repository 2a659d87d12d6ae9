package io.github.lockstarter.demo.experiment.pageview;

import org.springframework.stereotype.Service;

/** Has Redis count: nothing is read here and written back, so there is no critical section and no lock. */
@Service
class IncrementedViews {

    private final ViewCounter counter;

    IncrementedViews(ViewCounter counter) {
        this.counter = counter;
    }

    PageView count(String page, String request) {
        return counter.increment(new View(Variant.V0, page, request));
    }
}
