package io.github.lockstarter.sample.pview;

import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.pview.SectionEnd.Outcome;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/** Counts a view: reads, works a moment, writes what it has read plus one. Keeps nobody out; that is up to its callers. */
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
     * Counts it.
     *
     * @param view what to count
     * @param fence fencing token of the lock, if there is one
     * @return the views that were written
     * @throws OvertakenException when the store refuses the token
     */
    PageView count(View view, OptionalLong fence) {
        Section section = new Section(sections.incrementAndGet(), view.variant(), view.page(), fence);
        listeners.forEach(listener -> listener.began(section));
        SectionEnd end = new SectionEnd(Outcome.FAILED, 0, 0);
        try {
            end = readWorkWrite(section, view);
        } catch (OvertakenException refusal) {
            end = new SectionEnd(Outcome.REFUSED, 0, 0);
            throw refusal;
        } finally {
            SectionEnd told = end;
            listeners.forEach(listener -> listener.ended(section, told));
        }
        return new PageView(properties.instance(), view.variant().id(), view.page(), end.wrote());
    }

    private SectionEnd readWorkWrite(Section section, View view) {
        ViewStore.Answer before = store.open(view, section.fence());
        listeners.forEach(listener -> listener.hasRead(section));
        if (before.counted()) {
            return new SectionEnd(Outcome.WRITTEN, before.views(), before.views());
        }
        SimulatedWork.lasting(properties.work());
        ViewStore.Answer after = store.write(view, before.views() + 1, section.fence());
        return new SectionEnd(Outcome.WRITTEN, before.views(), after.views());
    }
}
