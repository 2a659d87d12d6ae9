package io.github.lockstarter.demo.experiment.run;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Statistics of answers. Thread-safe; the threads of the HTTP client add answers. */
final class RequestStatistics {

    private static final double MICROS_PER_MS = 1e3;

    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger retried = new AtomicInteger();

    private record Answer(String instance, long nanos) {}

    /** @param nanos since it was first sent */
    void answered(String instance, long nanos) {
        answers.add(new Answer(instance, nanos));
    }

    void retried() {
        retried.incrementAndGet();
    }

    int answered() {
        return answers.size();
    }

    int retries() {
        return retried.get();
    }

    /**
     * Response time in ms by the nearest rank; zero without answers.
     *
     * @param percent above 0, up to 100
     */
    double percentile(int percent) {
        long[] sorted = answers.stream().mapToLong(Answer::nanos).sorted().toArray();
        if (sorted.length == 0) {
            return 0;
        }
        int rank = (sorted.length * percent + 99) / 100;
        return TimeUnit.NANOSECONDS.toMicros(sorted[rank - 1]) / MICROS_PER_MS;
    }

    /** Answers by instance, including the given ones without an answer. */
    Map<String, Integer> perInstance(List<String> instances) {
        Map<String, Integer> counts =
                new TreeMap<>(instances.stream().collect(Collectors.toMap(name -> name, name -> 0)));
        answers.forEach(answer -> counts.merge(answer.instance(), 1, Integer::sum));
        return counts;
    }
}
