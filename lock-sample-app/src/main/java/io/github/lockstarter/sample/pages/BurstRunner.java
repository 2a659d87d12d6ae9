package io.github.lockstarter.sample.pages;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToLongFunction;
import org.springframework.stereotype.Component;

/** Has many threads count a view of one page at the same time. */
@Component
class BurstRunner {

    private static final int THREADS = 32;

    private final PageViews views;

    BurstRunner(PageViews views) {
        this.views = views;
    }

    Burst unlocked(String page, int requests) {
        return run(page, requests, views::countUnlocked);
    }

    Burst locked(String page, int requests) {
        return run(page, requests, views::countLocked);
    }

    private Burst run(String page, int requests, ToLongFunction<String> count) {
        long before = views.views(page);
        ExecutorService threads = Executors.newFixedThreadPool(Math.min(requests, THREADS));
        try {
            List<Future<?>> counted = new ArrayList<>();
            for (int request = 0; request < requests; request++) {
                counted.add(threads.submit(() -> count.applyAsLong(page)));
            }
            counted.forEach(BurstRunner::await);
        } finally {
            threads.shutdownNow();
        }
        return Burst.of(page, requests, before, views.views(page));
    }

    private static void await(Future<?> view) {
        try {
            view.get();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException("A view could not be counted", failure.getCause());
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while views were counted", interrupt);
        }
    }
}
