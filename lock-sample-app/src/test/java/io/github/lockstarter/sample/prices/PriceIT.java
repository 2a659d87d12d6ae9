package io.github.lockstarter.sample.prices;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.sample.RunningSample;
import io.github.lockstarter.sample.SampleClient.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PriceIT extends RunningSample {

    @Test
    void calculatesAPriceOnceForAllRequests() {
        long before = client.get("/prices/chair").number("calculation");

        List<CompletableFuture<Answer>> prices = IntStream.range(0, 20)
                .mapToObj(request -> CompletableFuture.supplyAsync(() -> client.get("/prices/lamp")))
                .toList();

        assertThat(prices).map(CompletableFuture::join).allSatisfy(price -> {
            assertThat(price.number("cents")).isEqualTo(400);
            assertThat(price.number("calculation")).isEqualTo(before + 1);
        });
        assertThat(client.text("/actuator/prometheus"))
                .contains("distributed_lock_cache_total{cache=\"prices\",outcome=\"loaded\"} 2.0");
    }
}
