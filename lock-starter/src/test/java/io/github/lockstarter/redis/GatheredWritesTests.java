package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GatheredWritesTests {

    @Test
    void leaveTheApplicationsCustomizationInPlace() {
        List<Object> customized = new ArrayList<>();
        NettyCustomizer application = new NettyCustomizer() {
            @Override
            public void afterBootstrapInitialized(Bootstrap initialized) {
                customized.add(initialized);
            }

            @Override
            public void afterChannelInitialized(Channel initialized) {
                customized.add(initialized);
            }
        };
        Bootstrap bootstrap = new Bootstrap();
        EmbeddedChannel channel = new EmbeddedChannel();
        GatheredWrites writes = GatheredWrites.after(application);
        writes.afterBootstrapInitialized(bootstrap);
        writes.afterChannelInitialized(channel);
        assertThat(customized).containsExactly(bootstrap, channel);
    }
}
