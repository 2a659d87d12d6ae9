package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EtcdChannelsTests {

    @Test
    void startWithARandomEndpoint() {
        List<URI> endpoints = List.of(URI.create("http://127.0.0.1:1"), URI.create("http://127.0.0.1:2"));
        EtcdSettings settings =
                new EtcdSettings("lock:", endpoints, Optional.empty(), Optional.empty(), Duration.ofSeconds(2));
        Set<String> first = new HashSet<>();
        for (int i = 0; i < 64; i++) {
            try (EtcdChannels channels = new EtcdChannels(settings, Runnable::run)) {
                first.add(channels.current().channel().authority());
            }
        }

        assertThat(first).hasSize(2);
    }
}
