package io.github.lockstarter.demo.experiment.instance;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.demo.experiment.pageview.PageViewSection;
import io.github.lockstarter.demo.experiment.pageview.SectionEnd;
import io.github.lockstarter.demo.experiment.pageview.SectionListener;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Reports the sections of this instance and their locks, matched by key and fencing token. Called by the threads of
 * the sections and of the lock client. A lock is acquired before its section starts and released after it ends.
 */
@Component
@Profile("instance")
class SectionReporter implements SectionListener, LockListener {

    private final EventPipe pipe;
    private final Map<Key, Hold> holds = new ConcurrentHashMap<>();

    SectionReporter(EventPipe pipe) {
        this.pipe = pipe;
    }

    private record Key(String lock, long fence) {

        static Optional<Key> of(PageViewSection section) {
            return section.fence().stream()
                    .mapToObj(fence -> new Key(section.variant().lockKey(section.page()), fence))
                    .findFirst();
        }
    }

    /**
     * Used by the thread of the section, which may start before the event of its grant, and the threads of the
     * listener.
     */
    private static final class Hold {

        private volatile LockEvent.@Nullable Acquired grant;
        private volatile @Nullable PageViewSection section;
        private volatile boolean lost;
    }

    private Hold hold(Key key) {
        return holds.computeIfAbsent(key, unknown -> new Hold());
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired grant) {
            hold(new Key(grant.key(), grant.fencingToken())).grant = grant;
        } else if (event instanceof LockEvent.Released released) {
            holds.remove(new Key(released.key(), released.fencingToken()));
        } else if (event instanceof LockEvent.Lost loss) {
            lost(loss);
        }
    }

    private void lost(LockEvent.Lost event) {
        Hold hold = holds.get(new Key(event.key(), event.fencingToken()));
        PageViewSection section = hold == null ? null : hold.section;
        if (hold != null && section != null) {
            hold.lost = true;
            pipe.send(new InstanceEvent.Lost(
                    System.nanoTime(), section.id(), section.page(), event.fencingToken(), text(event.cause())));
        }
    }

    @Override
    public void began(PageViewSection section) {
        Optional<Key> key = Key.of(section);
        Optional<Hold> hold = key.map(this::hold);
        hold.ifPresent(held -> held.section = section);
        LockEvent.@Nullable Acquired grant = hold.map(held -> held.grant).orElse(null);
        pipe.send(new InstanceEvent.Held(
                System.nanoTime(),
                section.id(),
                section.page(),
                key.map(Key::fence).orElse(null),
                grant == null ? null : path(grant.path()),
                grant == null ? null : grant.waited().toNanos() / 1e6));
    }

    @Override
    public void ended(PageViewSection section, SectionEnd end) {
        boolean lost = Key.of(section)
                .map(holds::remove)
                .filter(hold -> hold.lost && end.outcome() == SectionEnd.Outcome.WRITTEN)
                .isPresent();
        pipe.send(new InstanceEvent.Released(
                System.nanoTime(),
                section.id(),
                section.page(),
                end.read(),
                end.wrote(),
                lost ? "lost" : text(end.outcome())));
    }

    private static String path(LockEvent.Path path) {
        return path == LockEvent.Path.UNCONTENDED ? "immediate" : text(path);
    }

    private static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
