package io.github.lockstarter.leader.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.leader.LeaderGranted;
import io.github.lockstarter.leader.LeaderRevoked;
import io.github.lockstarter.leader.LeaderRevoked.Cause;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.event.EventListener;

/** The events of one instance, in the order in which they arrived, and the threads that brought them. */
public final class Events {

    private final List<Object> all = new CopyOnWriteArrayList<>();

    private final List<String> threads = new CopyOnWriteArrayList<>();

    @EventListener
    void granted(LeaderGranted event) {
        add(event);
    }

    @EventListener
    void revoked(LeaderRevoked event) {
        add(event);
    }

    private void add(Object event) {
        threads.add(Thread.currentThread().getName());
        all.add(event);
    }

    /** A copy. */
    public List<Object> all() {
        return List.copyOf(all);
    }

    /** Names of the threads of all events. */
    public List<String> threads() {
        return List.copyOf(threads);
    }

    /** Terms of the leaderships that began. */
    public List<Long> terms() {
        return all.stream()
                .filter(LeaderGranted.class::isInstance)
                .map(event -> ((LeaderGranted) event).term())
                .toList();
    }

    /** Causes of the ended ones. */
    public List<Cause> causes() {
        return all.stream()
                .filter(LeaderRevoked.class::isInstance)
                .map(event -> ((LeaderRevoked) event).cause())
                .toList();
    }

    /** Each grant is followed by its revocation, before the next one, and terms grow. */
    public void assertAlternate() {
        List<Object> seen = all();
        for (int i = 0; i < seen.size(); i++) {
            if (i % 2 == 0) {
                assertThat(seen.get(i)).as("event %d of %s", i, seen).isInstanceOf(LeaderGranted.class);
            } else {
                assertThat(seen.get(i))
                        .as("event %d of %s", i, seen)
                        .isInstanceOfSatisfying(LeaderRevoked.class, event -> {
                            LeaderGranted granted = (LeaderGranted) seen.get(seen.indexOf(event) - 1);
                            assertThat(event.term()).isEqualTo(granted.term());
                        });
            }
        }
        assertThat(terms()).isSorted().doesNotHaveDuplicates();
    }
}
