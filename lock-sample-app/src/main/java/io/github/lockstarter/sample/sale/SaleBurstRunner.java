package io.github.lockstarter.sample.sale;

import io.github.lockstarter.LockNotAcquiredException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.springframework.stereotype.Component;

/** Has a crowd buy at the same time. Each buyer presses the button twice, as people in a hurry do. */
@Component
class SaleBurstRunner {

    private static final int THREADS = 32;

    private final SaleService sales;

    SaleBurstRunner(SaleService sales) {
        this.sales = sales;
    }

    SaleBurst unlocked(String product, int buyers) {
        return run(product, buyers, sales::buyUnlocked);
    }

    SaleBurst locked(String product, int buyers) {
        return run(product, buyers, sales::buy);
    }

    private SaleBurst run(String product, int buyers, BiConsumer<String, String> purchase) {
        sales.find(product);
        int requests = 2 * buyers;
        ExecutorService threads = Executors.newFixedThreadPool(Math.min(requests, THREADS));
        try {
            List<Future<Answer>> pending = new ArrayList<>();
            for (int request = 0; request < requests; request++) {
                String buyer = "buyer-" + request / 2;
                pending.add(threads.submit(() -> ask(product, buyer, purchase)));
            }
            List<Answer> answers =
                    pending.stream().map(SaleBurstRunner::answerOf).toList();
            List<String> sold = answers.stream()
                    .filter(answer -> answer.outcome() == Outcome.SOLD)
                    .map(Answer::buyer)
                    .toList();
            long contended = answers.stream()
                    .filter(answer -> answer.outcome() == Outcome.CONTENDED)
                    .count();
            return SaleBurst.of(sales.find(product), buyers, requests, sold, (int) contended);
        } finally {
            threads.shutdownNow();
        }
    }

    private static Answer ask(String product, String buyer, BiConsumer<String, String> purchase) {
        try {
            purchase.accept(product, buyer);
            return new Answer(buyer, Outcome.SOLD);
        } catch (SaleException refusal) {
            return new Answer(buyer, Outcome.REFUSED);
        } catch (LockNotAcquiredException contended) {
            return new Answer(buyer, Outcome.CONTENDED);
        }
    }

    private static Answer answerOf(Future<Answer> pending) {
        try {
            return pending.get();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException("A purchase could not be made", failure.getCause());
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the crowd bought", interrupt);
        }
    }

    private enum Outcome {
        SOLD,
        REFUSED,
        CONTENDED
    }

    private record Answer(String buyer, Outcome outcome) {}
}
