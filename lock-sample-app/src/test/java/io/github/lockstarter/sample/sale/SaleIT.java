package io.github.lockstarter.sample.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.sample.RunningSample;
import io.github.lockstarter.sample.SampleClient.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;

class SaleIT extends RunningSample {

    private static final long OLDER = 1_700_000_000_000_001L;
    private static final long NEWER = 1_700_000_000_000_002L;

    @Autowired
    private SaleStore store;

    @Test
    void sellsExactlyTheStockToACrowdThatRepeatsItsRequests() {
        int stock = 20;
        int buyers = 60;
        offer("crowded", stock);

        List<Answer> answers = buyAtOnce("crowded", buyers, 2);

        List<Answer> sold =
                answers.stream().filter(answer -> answer.status() == 201).toList();
        assertThat(sold).hasSize(stock);
        assertThat(sold).extracting(answer -> answer.text("buyer")).doesNotHaveDuplicates();
        assertThat(sold).extracting(answer -> answer.number("left")).doesNotHaveDuplicates();
        assertThat(answers).extracting(Answer::status).containsOnly(201, 409);
        Answer sale = client.get("/sales/crowded");
        assertThat(sale.number("left")).isZero();
        assertThat(sale.number("buyers")).isEqualTo(stock);
    }

    @Test
    void sellsOneToEachBuyer() {
        offer("single", 5);
        Answer first = buy("single", "ann");

        Answer second = buy("single", "ann");

        assertThat(first.status()).isEqualTo(201);
        assertThat(first.number("left")).isEqualTo(4);
        assertThat(first.number("fencingToken")).isPositive();
        assertThat(second.status()).isEqualTo(409);
        assertThat(second.text("detail")).isEqualTo("'ann' has bought 'single' already, and each buyer gets one");
        assertThat(client.get("/sales/single").number("left")).isEqualTo(4);
    }

    @Test
    void reportsThatTheProductIsSoldOut() {
        offer("rare", 1);
        buy("rare", "ann");

        Answer late = buy("rare", "bob");

        assertThat(late.status()).isEqualTo(409);
        assertThat(late.text("detail")).isEqualTo("'rare' is sold out");
    }

    @Test
    void startsASaleOfAProductOnce() {
        offer("once", 3);
        buy("once", "ann");

        Answer again = client.post("/sales", "{\"product\":\"once\",\"stock\":9}");

        assertThat(again.status()).isEqualTo(409);
        assertThat(client.get("/sales/once").number("left")).isEqualTo(2);
    }

    @Test
    void refusesAWriteOnceANewerHolderHasOpenedTheSale() {
        offer("paused", 5);
        Sale seen = store.open("paused", OLDER);
        store.open("paused", NEWER);

        assertThatThrownBy(() -> store.sell(new Purchase("paused", "late", seen.left() - 1, OLDER)))
                .isInstanceOf(SaleException.Overtaken.class)
                .hasMessageContaining("fencing token " + OLDER);

        assertThat(store.find("paused")).contains(new Sale("paused", 5, 5, 0));
    }

    /** The client of Redis repeats a call whose answer was lost with the connection. */
    @Test
    void repeatsTheAnswerToARepeatedPurchaseEvenUnderANewerHolder() {
        offer("repeated", 5);
        Sale seen = store.open("repeated", OLDER);
        Purchase purchase = new Purchase("repeated", "ann", seen.left() - 1, OLDER);
        store.sell(purchase);
        store.sell(purchase);
        store.open("repeated", NEWER);
        store.sell(new Purchase("repeated", "bob", 3, NEWER));

        store.sell(purchase);

        assertThat(store.find("repeated")).contains(new Sale("repeated", 5, 3, 2));
    }

    @Test
    void refusesAPurchaseThatTheBuyerMadeByAnotherRequest() {
        offer("both", 5);
        store.open("both", OLDER);
        store.open("both", NEWER);
        store.sell(new Purchase("both", "ann", 4, NEWER));

        assertThatThrownBy(() -> store.sell(new Purchase("both", "ann", 4, OLDER)))
                .isInstanceOf(SaleException.BoughtBefore.class);
        assertThat(store.find("both")).contains(new Sale("both", 5, 4, 1));
    }

    @Test
    void refusesToOpenForAnOlderHolder() {
        offer("opened", 5);
        store.open("opened", NEWER);

        assertThatThrownBy(() -> store.open("opened", OLDER)).isInstanceOf(SaleException.Overtaken.class);
    }

    @Test
    void refusesAProductThatIsNotOnSale() {
        assertThat(client.get("/sales/nothing").status()).isEqualTo(404);
        assertThat(buy("nothing", "ann").status()).isEqualTo(404);
        assertThatThrownBy(() -> store.sell(new Purchase("nothing", "ann", 0, NEWER)))
                .isInstanceOf(SaleException.NotOnSale.class);
        assertThat(store.find("nothing")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    /sales                  | {"product":"UPPER","stock":1}
                    /sales                  | {"product":"a{b}","stock":1}
                    /sales                  | {"stock":1}
                    /sales                  | {"product":"none","stock":0}
                    /sales/single/purchases | {"buyer":" "}
                    /sales/UPPER/purchases  | {"buyer":"ann"}
                    """)
    void respondsWithBadRequestForAnInvalidRequest(String path, String json) {
        Answer answer = client.post(path, json);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
    }

    private void offer(String product, int stock) {
        Answer offered = client.post("/sales", "{\"product\":\"" + product + "\",\"stock\":" + stock + "}");
        assertThat(offered.status()).isEqualTo(201);
        assertThat(offered.number("left")).isEqualTo(stock);
    }

    private Answer buy(String product, String buyer) {
        return client.post("/sales/" + product + "/purchases", "{\"buyer\":\"" + buyer + "\"}");
    }

    private List<Answer> buyAtOnce(String product, int buyers, int times) {
        ExecutorService threads = Executors.newFixedThreadPool(24);
        try {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int request = 0; request < buyers * times; request++) {
                String buyer = "buyer-" + request % buyers;
                answers.add(CompletableFuture.supplyAsync(() -> buy(product, buyer), threads));
            }
            return answers.stream().map(CompletableFuture::join).toList();
        } finally {
            threads.shutdownNow();
        }
    }
}
