package io.github.lockstarter.redis.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.tracing.Tracing;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LockClientResourcesTests {

    private final Tracing tracing = mock(Tracing.class);
    private final ClientResources application = ClientResources.builder()
            .tracing(tracing)
            .nettyCustomizer(new NettyCustomizer() {})
            .socketAddressResolver(MappingSocketAddressResolver.create(DnsResolvers.UNRESOLVED, host -> host))
            .build();

    @AfterEach
    void close() {
        application.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }

    @Test
    void sharesResolversAndCustomizerAndNeitherThreadsNorTracing() {
        when(tracing.isEnabled()).thenReturn(true);
        try (LockClientResources own = LockClientResources.like(Optional.of(application))) {
            ClientResources locks = own.resources();

            assertThat(locks.nettyCustomizer()).isSameAs(application.nettyCustomizer());
            assertThat(locks.socketAddressResolver()).isSameAs(application.socketAddressResolver());
            assertThat(locks.addressResolverGroup()).isSameAs(application.addressResolverGroup());
            assertThat(locks.tracing().isEnabled()).isFalse();
            assertThat(locks.eventLoopGroupProvider()).isNotSameAs(application.eventLoopGroupProvider());
            assertThat(locks.eventExecutorGroup()).isNotSameAs(application.eventExecutorGroup());
            assertThat(locks.timer()).isNotSameAs(application.timer());
            assertThat(locks.commandLatencyRecorder()).isNotSameAs(application.commandLatencyRecorder());
        }
        assertThat(application.eventExecutorGroup().isShuttingDown()).isFalse();
    }

    @Test
    void namesConnectionsInPrintableAscii() {
        assertThat(LockClientResources.clientName("Größe 1")).isEqualTo("Gr--e-1-lock");
    }
}
