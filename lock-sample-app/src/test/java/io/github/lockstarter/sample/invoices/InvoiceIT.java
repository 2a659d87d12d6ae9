package io.github.lockstarter.sample.invoices;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.sample.RunningSample;
import io.github.lockstarter.sample.SampleClient.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class InvoiceIT extends RunningSample {

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
}
