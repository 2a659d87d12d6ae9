package io.github.lockstarter.demo.experiment.stage;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The servers of another store than the instances' own Redis, in which the instances keep the locks of v3. */
record RoutedServers(Backend backend, LockServers servers) implements LockServers {

    @Override
    public List<String> properties() {
        return Stream.concat(
                        servers.properties().stream(),
                        Stream.of(
                                "distributed-lock.further-backends=redlock," + backend.id(),
                                "pview.locks=" + backend.id() + "Locks"))
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
