package io.github.lockstarter.demo.gallery.play;

import io.github.lockstarter.demo.experiment.stage.Belongings;
import io.github.lockstarter.demo.experiment.stage.RedisConsole;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import io.github.lockstarter.sample.redis.RedisSetup;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plays exhibits with the broken locks, or with ours: one at a time, with the same actors. For one thread. */
final class SidePlayer {

    private final boolean broken;
    private final List<String> properties;
    private final Belongings belongings;
    private final RedisConsole console;
    private final ActorGroup actors;
    private final EmbeddedRedis store;
    private @Nullable ExhibitServers standalone;

    /**
     * Starts actors, and the server of the counter.
     *
     * @param properties of the starter, beside those that an exhibit needs
     */
    SidePlayer(boolean broken, List<String> properties, Belongings belongings, RedisConsole console) {
        this.broken = broken;
        this.properties = List.copyOf(properties);
        this.belongings = belongings;
        this.console = console;
        this.actors = new ActorGroup(broken ? "broken" : "ours", belongings);
        this.store = EmbeddedRedis.start(RedisSetup.inMemory(), belongings::add);
    }

    SideResult play(Exhibit exhibit, long seed, int rounds) {
        List<RoundResult> results = new ArrayList<>();
        ExhibitServers servers = start(exhibit);
        try {
            for (int round = 1; round <= rounds; round++) {
                if (round > 1 && !servers.isReusable()) {
                    servers.close();
                    servers = start(exhibit);
                }
                RoundPlan plan = RoundPlan.of(exhibit, broken, store.port(), round, seed);
                results.add(play(plan, servers));
            }
        } finally {
            if (servers != standalone) {
                servers.close();
            }
        }
        return SideResult.of(results);
    }

    private RoundResult play(RoundPlan plan, ExhibitServers servers) {
        Recorder recorder = new Round(plan, properties, actors, servers).play();
        String counter = ExhibitServers.ask(console, store.port(), redis -> redis.hget(plan.key(), "views"));
        return recorder.result(counter == null ? 0 : Long.parseLong(counter));
    }

    /** One server serves all exhibits that need no more: the contexts of the actors stay, too. */
    private ExhibitServers start(Exhibit exhibit) {
        if (exhibit.servers() != ServerKind.STANDALONE) {
            return exhibit.servers().start(console, belongings);
        }
        ExhibitServers shared = standalone;
        if (shared == null) {
            shared = exhibit.servers().start(console, belongings);
            standalone = shared;
        }
        return shared;
    }
}
