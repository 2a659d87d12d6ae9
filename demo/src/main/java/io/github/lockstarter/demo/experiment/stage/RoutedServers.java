package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The servers of another store than the instances' own Redis, to which the locks of v3 go by their name. */
record RoutedServers(Backend backend, LockServers servers) implements LockServers {

    @Override
    public List<String> properties() {
        return Stream.concat(
                        servers.properties().stream(),
                        Stream.of("distributed-lock.locks." + Variant.V3.lockName() + ".backend=" + backend.id()))
                .toList();
    }

    @Override
    public String restart(String key) {
        return servers.restart(key);
    }

    @Override
    public void requireReplicas() {
        servers.requireReplicas();
    }

    @Override
    public String failOver(String key, int times) {
        return servers.failOver(key, times);
    }

    @Override
    public String moveClock(Duration ahead) {
        return servers.moveClock(ahead);
    }

    @Override
    public void delete(String key) {
        servers.delete(key);
    }
}
