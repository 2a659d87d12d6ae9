package io.github.lockstarter.demo.experiment.pageview;

import io.github.lockstarter.demo.experiment.pageview.SectionEnd.Outcome;
import io.github.lockstarter.demo.experiment.pageview.ViewStore.Status;
import io.github.lockstarter.demo.process.Sleep;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/** Counts a view: reads, works briefly, and writes the number plus one. Callers are responsible for exclusion. */
@Component
class ViewCounter {

    private final ViewStore store;
    private final PageViewProperties properties;
    private final List<SectionListener> listeners;
    private final AtomicLong sections = new AtomicLong();

    ViewCounter(ViewStore store, PageViewProperties properties, List<SectionListener> listeners) {
        this.store = store;
        this.properties = properties;
        this.listeners = List.copyOf(listeners);
    }

    /**
     * Counts in a section.
     *
     * @throws ViewRejectedException if the store rejects the fencing token
     */
    PageView count(View view, OptionalLong fence) {
        PageViewSection section = new PageViewSection(sections.incrementAndGet(), view.variant(), view.page(), fence);
        listeners.forEach(listener -> listener.began(section));
        SectionEnd end = new SectionEnd(Outcome.FAILED, 0, 0);
        try {
            end = readWorkWrite(section, view);
        } finally {
            SectionEnd result = end;
            listeners.forEach(listener -> listener.ended(section, result));
        }
        if (end.outcome() == Outcome.REFUSED) {
            throw new ViewRejectedException(view.page(), fence.orElseThrow());
        }
        return new PageView(properties.instance(), view.variant().id(), view.page(), end.wrote());
    }

    /** Counts with one command, after the work and without a section. */
    PageView increment(View view) {
        Sleep.lasting(properties.work());
        long views = store.increment(view).views();
        return new PageView(properties.instance(), view.variant().id(), view.page(), views);
    }

    private SectionEnd readWorkWrite(PageViewSection section, View view) {
        ViewStore.Answer before = store.open(view, section.fence());
        listeners.forEach(listener -> listener.hasRead(section));
        if (before.status() != Status.DONE) {
            return end(before, before.views());
        }
        Sleep.lasting(properties.work());
        return end(store.write(view, before.views() + 1, section.fence()), before.views());
    }

    private static SectionEnd end(ViewStore.Answer answer, long read) {
        return answer.status() == Status.OVERTAKEN
                ? new SectionEnd(Outcome.REFUSED, read, read)
                : new SectionEnd(Outcome.WRITTEN, read, answer.views());
    }
}
