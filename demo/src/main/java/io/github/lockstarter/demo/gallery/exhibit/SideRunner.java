package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.process.Closer;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Plays exhibits with the broken locks or with ours, one at a time, with callers A, B and C. Replaces killed callers.
 * Used by one thread, except for closing.
 */
final class SideRunner {

    static final int CALLERS = 3;

    private final boolean broken;
    private final List<String> properties;
    private final Closer closer;
    private final List<CallerProcess> callers;
    private final RedisServer store;

    /** Starts callers and the server of the counter; the closer ends them. */
    SideRunner(boolean broken, List<String> properties, Closer closer) {
        this.broken = broken;
        this.properties = List.copyOf(properties);
        this.closer = closer;
        this.callers = new ArrayList<>(
                IntStream.range(0, CALLERS).mapToObj(this::startCaller).toList());
        this.store = closer.add(RedisServer.start());
    }

    SideResult play(Exhibit exhibit, long seed) {
        replaceKilled();
        RoundPlan plan = RoundPlan.of(exhibit, broken, store.port(), seed);
        List<CallerProcess> inOrder = plan.places().stream().map(callers::get).toList();
        try (ExhibitServers servers = closer.add(exhibit.servers().start(store))) {
            RoundRecorder recorder = new Round(plan, properties, inOrder, servers).play();
            String counter = store.commands().hget(Variant.V3.storeKey(plan.key()), "views");
            return recorder.result(counter == null ? 0 : Long.parseLong(counter));
        }
    }

    private void replaceKilled() {
        for (int index = 0; index < CALLERS; index++) {
            if (!callers.get(index).isRunning()) {
                callers.set(index, startCaller(index));
            }
        }
    }

    private CallerProcess startCaller(int index) {
        return closer.add(new CallerProcess(broken ? "broken" : "ours", Character.toString('A' + index)));
    }
}
