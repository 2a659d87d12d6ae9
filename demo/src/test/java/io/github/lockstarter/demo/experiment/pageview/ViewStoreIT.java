package io.github.lockstarter.demo.experiment.pageview;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.experiment.pageview.ViewStore.Status;
import io.github.lockstarter.kit.net.FreePort;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        // For busy machines.
        properties = {
            "distributed-lock.max-wait=60s",
            "distributed-lock.redis.command-timeout=20s",
            "spring.data.redis.timeout=20s"
        })
@Tag("full")
class ViewStoreIT {

    private static final OptionalLong NO_LOCK = OptionalLong.empty();
    private static final OptionalLong OLDER = OptionalLong.of(1_700_000_000_000_001L);
    private static final OptionalLong NEWER = OptionalLong.of(1_700_000_000_000_002L);

    @Autowired
    private ViewStore store;

    @Value("${local.server.port}")
    private int port;

    @DynamicPropertySource
    static void redisOfItsOwn(DynamicPropertyRegistry registry) {
        registry.add("spring.data.redis.port", FreePort::next);
    }

    @Test
    void losesAnUpdateWithoutALock() {
        View one = new View(Variant.V1, "lost", "one");
        View two = new View(Variant.V1, "lost", "two");
        long before = store.open(one, NO_LOCK).views();
        store.open(two, NO_LOCK);

        store.write(one, before + 1, NO_LOCK);
        store.write(two, before + 1, NO_LOCK);

        assertThat(store.open(one, NO_LOCK).views()).isEqualTo(1);
    }

    @Test
    void refusesAWriteOnceANewerHolderHasOpenedThePage() {
        View late = new View(Variant.V3, "fenced", "late");
        store.open(late, OLDER);
        store.open(new View(Variant.V3, "fenced", "new"), NEWER);

        assertThat(store.write(late, 1, OLDER)).isEqualTo(new ViewStore.Answer(Status.OVERTAKEN, 0));
        assertThat(store.open(late, OLDER)).isEqualTo(new ViewStore.Answer(Status.OVERTAKEN, 0));
        assertThat(store.write(late, 1, NEWER)).isEqualTo(new ViewStore.Answer(Status.DONE, 1));
    }

    @Test
    void losesNoUpdateWhenRedisCounts() {
        View one = new View(Variant.V0, "incremented", "one");
        View two = new View(Variant.V0, "incremented", "two");

        assertThat(store.increment(one)).isEqualTo(new ViewStore.Answer(Status.DONE, 1));
        assertThat(store.increment(two)).isEqualTo(new ViewStore.Answer(Status.DONE, 2));
        assertThat(store.increment(one)).isEqualTo(new ViewStore.Answer(Status.COUNTED, 2));
    }

    @Test
    void countsARepeatedRequestOnce() {
        View view = new View(Variant.V3, "repeated", "same");
        assertThat(store.open(view, OLDER)).isEqualTo(new ViewStore.Answer(Status.DONE, 0));
        assertThat(store.write(view, 1, OLDER)).isEqualTo(new ViewStore.Answer(Status.DONE, 1));

        assertThat(store.open(view, NEWER)).isEqualTo(new ViewStore.Answer(Status.COUNTED, 1));
        assertThat(store.write(view, 2, NEWER)).isEqualTo(new ViewStore.Answer(Status.COUNTED, 1));
    }

    @Test
    void namesTheInstanceThatCounted() {
        RestTestClient client = RestTestClient.bindToServer()
                .baseUrl("http://localhost:" + port)
                .build();

        for (String variant : new String[] {"v0", "v1", "v2", "v3"}) {
            client.post()
                    .uri("/" + variant + "/pview?page=answers")
                    .exchange()
                    .expectBody()
                    .jsonPath("$.instance")
                    .isEqualTo("local");
            client.get()
                    .uri("/" + variant + "/pview?page=answers")
                    .exchange()
                    .expectBody()
                    .jsonPath("$.views")
                    .isEqualTo(2);
        }
        client.post()
                .uri("/v4/pview")
                .exchange()
                .expectStatus()
                .isNotFound()
                .expectBody()
                .jsonPath("$.detail")
                .value(String.class, detail -> assertThat(detail).contains("distributed-lock.redlock.nodes"));
        client.post()
                .uri("/v1/pview?page={page}", "Not a page")
                .exchange()
                .expectStatus()
                .isBadRequest();
    }
}
