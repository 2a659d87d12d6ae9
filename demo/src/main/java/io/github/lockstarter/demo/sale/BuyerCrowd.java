package io.github.lockstarter.demo.sale;

import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.sample.sale.SaleException;
import io.github.lockstarter.sample.sale.SaleService;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import org.springframework.stereotype.Component;

/** Buyers that send requests at the same time, two each. */
@Component
class BuyerCrowd {

    private static final int THREADS = 32;

    private final SaleService sales;
    private final UnlockedSale unlocked;

    BuyerCrowd(SaleService sales, UnlockedSale unlocked) {
        this.sales = sales;
        this.unlocked = unlocked;
    }

    enum Outcome {
        SOLD,
        REFUSED,
        CONTENDED
    }

    record Answer(String buyer, Outcome outcome) {}

    CrowdResult buyUnlocked(String product, int buyers) {
        return run(product, buyers, unlocked::buy);
    }

    CrowdResult buyLocked(String product, int buyers) {
        return run(product, buyers, this::isSold);
    }

    private CrowdResult run(String product, int buyers, BiPredicate<String, String> purchase) {
        sales.find(product);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<CompletableFuture<Answer>> pending = IntStream.range(0, 2 * buyers)
                    .mapToObj(request -> "buyer-" + request / 2)
                    .map(buyer -> CompletableFuture.supplyAsync(() -> ask(product, buyer, purchase), threads))
                    .toList();
            List<Answer> answers = pending.stream().map(CompletableFuture::join).toList();
            return CrowdResult.of(sales.find(product), buyers, answers);
        } finally {
            threads.shutdownNow();
        }
    }

    private static Answer ask(String product, String buyer, BiPredicate<String, String> purchase) {
        try {
            return new Answer(buyer, purchase.test(product, buyer) ? Outcome.SOLD : Outcome.REFUSED);
        } catch (LockNotAcquiredException contended) {
            return new Answer(buyer, Outcome.CONTENDED);
        }
    }

    private boolean isSold(String product, String buyer) {
        try {
            sales.buy(product, buyer);
            return true;
        } catch (SaleException refusal) {
            return false;
        }
    }
}
