package io.github.lockstarter.sample.invoices;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.sample.RunningSample;
import io.github.lockstarter.sample.SampleClient.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

class InvoiceIT extends RunningSample {

    @Autowired
    private JdbcClient jdbc;

    @Test
    void numbersInvoicesWithoutAGap() {
        long orderId = client.placeOrder();
        long before = client.post("/orders/" + orderId + "/invoice").number("number");

        List<CompletableFuture<Answer>> invoices = IntStream.range(0, 20)
                .mapToObj(invoice -> client.postAsync("/orders/" + orderId + "/invoice"))
                .toList();

        assertThat(invoices)
                .map(CompletableFuture::join)
                .map(invoice -> invoice.number("number"))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(before + 1, before + 20).boxed().toList());
        assertThat(client.post("/orders/987654321/invoice").status()).isEqualTo(404);
    }

    /** A later caller has entered, as after a pause of this instance: its number may be the same. */
    @Test
    void issuesNothingOnceALaterCallerHasEntered() {
        long orderId = client.placeOrder();
        assertThat(client.post("/orders/" + orderId + "/invoice").status()).isEqualTo(201);
        enter(1_000_000_000);
        try {
            Answer refused = client.post("/orders/" + orderId + "/invoice");

            assertThat(refused.status()).isEqualTo(500);
            assertThat(refused.text("title")).isEqualTo("Lock lost while working");
        } finally {
            enter(-1_000_000_000);
        }
        assertThat(client.post("/orders/" + orderId + "/invoice").status()).isEqualTo(201);
    }

    private void enter(long later) {
        assertThat(jdbc.sql("UPDATE distributed_lock_fence SET fencing_token = fencing_token + ?")
                        .param(later)
                        .update())
                .isPositive();
    }
}
