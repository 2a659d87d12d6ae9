package io.github.lockstarter.redis.connector;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LockClientResourcesTests {

    @Test
    void namesConnectionsInPrintableAscii() {
        assertThat(LockClientResources.clientName("Größe 1")).isEqualTo("Gr--e-1-lock");
    }
}
