package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.process.Closer;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Plays exhibits with the broken locks, or with ours: one at a time, with the same callers A, B and C. One that was
 * killed is replaced. For one thread, except for the end.
 */
final class SideRunner {

    static final int CALLERS = 3;

    private final boolean broken;
    private final List<String> properties;
    private final Closer closer;
    private final List<CallerProcess> callers;
    private final RedisServer store;
    private @Nullable ExhibitServers standalone;

    /**
     * Starts callers, and the server of the counter.
     *
     * @param properties of the starter, beside those that an exhibit needs
     * @param closer ends them
     */
    SideRunner(boolean broken, List<String> properties, Closer closer) {
        this.broken = broken;
        this.properties = List.copyOf(properties);
        this.closer = closer;
        this.callers = new ArrayList<>(
                IntStream.range(0, CALLERS).mapToObj(this::startCaller).toList());
        this.store = closer.add(RedisServer.start());
    }

    SideResult play(Exhibit exhibit, long seed) {
        ExhibitServers servers = start(exhibit);
        try {
            return play(RoundPlan.of(exhibit, broken, store.port(), seed), servers);
        } finally {
            if (servers != standalone) {
                servers.close();
            }
        }
    }

    private SideResult play(RoundPlan plan, ExhibitServers servers) {
        List<RoundCaller> inOrder = plan.places().stream()
                .map(index -> new RoundCaller(nameOf(index), callers.get(index)))
                .toList();
        try {
            RoundRecorder recorder = new Round(plan, properties, inOrder, servers).play();
            String counter = store.commands().hget(Variant.V3.storeKey(plan.key()), "views");
            return recorder.result(counter == null ? 0 : Long.parseLong(counter));
        } finally {
            for (int place = 0; place < CALLERS; place++) {
                if (inOrder.get(place).killed) {
                    replace(plan.places().get(place));
                }
            }
        }
    }

    private void replace(int index) {
        callers.get(index).close();
        callers.set(index, startCaller(index));
    }

    private CallerProcess startCaller(int index) {
        CallerProcess caller = closer.add(new CallerProcess((broken ? "broken-" : "ours-") + nameOf(index)));
        caller.start();
        return caller;
    }

    private static String nameOf(int index) {
        return Character.toString('A' + index);
    }

    /** One server serves all exhibits that need no more: the contexts of the callers stay, too. */
    private ExhibitServers start(Exhibit exhibit) {
        if (exhibit.servers() != ServerKind.STANDALONE) {
            return closer.add(exhibit.servers().start());
        }
        ExhibitServers shared = standalone;
        if (shared == null) {
            shared = closer.add(exhibit.servers().start());
            standalone = shared;
        }
        return shared;
    }
}
