package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.tracing.MicrometerTracing;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.netty.channel.Channel;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The locks' client has threads of its own, and the application's resolver and customizers, but not its tracing. */
class ClientThreadsIT {

    private static final String NAME = "redis.test";

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final Set<Thread> before = Thread.getAllStackTraces().keySet();
    private final List<String> observed = new CopyOnWriteArrayList<>();
    private final List<Channel> customized = new CopyOnWriteArrayList<>();

    @Test
    void hasOneEventLoopForAllConnectionsAndEndsItsThreadsWithTheContext() {
        for (int i = 0; i < 3; i++) {
            RedisApplication.on(REDIS.server()).run(context -> {
                use(context);
                assertThat(ownClients("application-lock")).hasSizeGreaterThanOrEqualTo(2);
                assertThat(newThreads("lock-redis"))
                        .filteredOn(name -> name.contains("EventLoop"))
                        .hasSize(1);
            });
        }
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(newThreads("lock-")).isEmpty());
    }

    @Test
    void resolvesNamesAndCustomizesConnectionsAsTheApplicationDoes() {
        application()
                .withBean(
                        LettuceClientConfigurationBuilderCustomizer.class, () -> builder -> builder.clientName("shop"))
                .run(context -> {
                    use(context);
                    assertThat(ownClients("shop-lock")).hasSizeGreaterThanOrEqualTo(2);
                    assertThat(customized).hasSizeGreaterThanOrEqualTo(2);
                });
    }

    @Test
    void sendsNoCommandToTracingAndMetricsOfTheApplication() {
        application().run(context -> {
            use(context);
            assertThat(observed).isEmpty();
            context.getBean(StringRedisTemplate.class).hasKey("any");
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(observed).contains("traced", "measured"));
        });
    }

    /** Its server has a name that only its resolver knows. */
    private ApplicationContextRunner application() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public void onStop(Observation.Context context) {
                observed.add("traced");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        HostAndPort server =
                HostAndPort.of(REDIS.server().host(), REDIS.server().port());
        NettyCustomizer netty = new NettyCustomizer() {
            @Override
            public void afterChannelInitialized(Channel channel) {
                customized.add(channel);
            }
        };
        return RedisApplication.on(REDIS.server())
                .withPropertyValues("spring.data.redis.host=" + NAME)
                .withBean(
                        ClientResourcesBuilderCustomizer.class,
                        () -> resources -> resources
                                .tracing(new MicrometerTracing(registry, "redis"))
                                .commandLatencyRecorder(
                                        (local, remote, command, first, last) -> observed.add("measured"))
                                .nettyCustomizer(netty)
                                .socketAddressResolver(MappingSocketAddressResolver.create(
                                        DnsResolvers.UNRESOLVED,
                                        named -> named.getHostText().equals(NAME) ? server : named)));
    }

    private static void use(ApplicationContext context) {
        context.getBean(LockTemplate.class).acquire("order:42").close();
    }

    private static List<String> ownClients(String name) {
        return REDIS.server()
                .commands()
                .clientList()
                .lines()
                .filter(client -> client.contains("name=" + name + ' '))
                .toList();
    }

    private List<String> newThreads(String prefix) {
        Set<Thread> started = new HashSet<>(Thread.getAllStackTraces().keySet());
        started.removeAll(before);
        return started.stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(prefix))
                .toList();
    }
}
