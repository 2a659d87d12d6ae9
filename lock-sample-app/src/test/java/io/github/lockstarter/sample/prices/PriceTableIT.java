package io.github.lockstarter.sample.prices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.sample.RunningSample;
import io.github.lockstarter.sample.SampleClient.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class PriceTableIT extends RunningSample {

    private static final String KEY = "price-table";

    @Autowired
    private LockAdmin admin;

    private Answer replace(int cents) {
        return client.post("/prices", "{\"chair\":%1$d,\"lamp\":%1$d,\"sofa\":%1$d}".formatted(cents));
    }

    @Test
    void readersWaitForAReplacementAndSeeAllOfIt() {
        replace(100);
        CompletableFuture<Answer> replacement = CompletableFuture.supplyAsync(() -> replace(200));
        awaitHeld(KEY, replacement);

        List<CompletableFuture<Answer>> readers = IntStream.range(0, 5)
                .mapToObj(reader -> CompletableFuture.supplyAsync(() -> client.get("/prices")))
                .toList();

        assertThat(readers).map(CompletableFuture::join).allSatisfy(table -> assertThat(table.body())
                .hasToString("{\"chair\":200,\"lamp\":200,\"sofa\":200}"));
        assertThat(replacement.join().status()).isEqualTo(200);
    }

    @Test
    void readersReadTogetherAndAReplacementWaitsForThem() {
        replace(100);
        CompletableFuture<Answer> replacement;
        try (LockHandle reader =
                locks.acquire(LockRequest.of(KEY).mode(LockMode.READ).ownedByHandle())) {
            assertThat(client.get("/prices").number("lamp")).isEqualTo(100);
            replacement = CompletableFuture.supplyAsync(() -> replace(200));
            await().untilAsserted(() -> assertThat(admin.waiters())
                    .filteredOn(LockAdmin.WaitingCaller::key, KEY)
                    .extracting(LockAdmin.WaitingCaller::mode)
                    .containsExactly(LockMode.WRITE));
            assertThat(replacement).isNotDone();
            reader.ensureHeld();
        }
        assertThat(replacement.join().number("lamp")).isEqualTo(200);
        assertThat(client.get("/prices").number("lamp")).isEqualTo(200);
    }
}
