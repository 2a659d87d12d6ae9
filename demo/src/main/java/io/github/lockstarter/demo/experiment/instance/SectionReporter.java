package io.github.lockstarter.demo.experiment.instance;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.demo.experiment.pageview.Section;
import io.github.lockstarter.demo.experiment.pageview.SectionEnd;
import io.github.lockstarter.demo.experiment.pageview.SectionListener;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Tells of the sections of this instance, and how their locks came and went. Called by the threads of the sections and
 * of the lock client; section and lock are brought together by key and fencing token. A lock is acquired before its
 * section begins, and released after it has ended.
 */
@Component
@Profile("instance")
class SectionReporter implements SectionListener, LockListener {

    private final EventPipe pipe;
    private final Map<Hold, LockEvent.Acquired> acquired = new ConcurrentHashMap<>();
    private final Map<Hold, Section> running = new ConcurrentHashMap<>();
    private final Set<Hold> lost = ConcurrentHashMap.newKeySet();

    SectionReporter(EventPipe pipe) {
        this.pipe = pipe;
    }

    private record Hold(String key, long fence) {

        static Optional<Hold> of(Section section) {
            return section.fence().isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Hold(
                            section.variant().lockKey(section.page()),
                            section.fence().getAsLong()));
        }
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired grant) {
            acquired.put(new Hold(grant.key(), grant.fencingToken()), grant);
        } else if (event instanceof LockEvent.Released released) {
            forget(new Hold(released.key(), released.fencingToken()));
        } else if (event instanceof LockEvent.Lost loss) {
            lost(loss);
        }
    }

    private void lost(LockEvent.Lost event) {
        Hold hold = new Hold(event.key(), event.fencingToken());
        Section section = running.get(hold);
        if (section != null) {
            lost.add(hold);
            pipe.send(new InstanceEvent.Lost(
                    System.nanoTime(), section.id(), section.page(), event.fencingToken(), text(event.cause())));
        }
    }

    @Override
    public void began(Section section) {
        Optional<Hold> hold = Hold.of(section);
        hold.ifPresent(key -> running.put(key, section));
        LockEvent.@Nullable Acquired grant = hold.map(acquired::get).orElse(null);
        pipe.send(new InstanceEvent.Held(
                System.nanoTime(),
                section.id(),
                section.page(),
                hold.map(Hold::fence).orElse(null),
                grant == null ? null : path(grant.path()),
                grant == null ? null : grant.waited().toNanos() / 1e6));
    }

    @Override
    public void ended(Section section, SectionEnd end) {
        Optional<Hold> hold = Hold.of(section);
        boolean lostWhileWriting = end.outcome() == SectionEnd.Outcome.WRITTEN
                && hold.filter(lost::contains).isPresent();
        pipe.send(new InstanceEvent.Released(
                System.nanoTime(),
                section.id(),
                section.page(),
                end.read(),
                end.wrote(),
                lostWhileWriting ? "lost" : text(end.outcome())));
        hold.ifPresent(this::forget);
    }

    private void forget(Hold hold) {
        acquired.remove(hold);
        running.remove(hold);
        lost.remove(hold);
    }

    private static String path(LockEvent.Path path) {
        return path == LockEvent.Path.UNCONTENDED ? "immediate" : text(path);
    }

    private static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
