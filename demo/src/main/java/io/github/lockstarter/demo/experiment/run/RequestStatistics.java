package io.github.lockstarter.demo.experiment.run;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Answers as they come in. Added to by the threads of the HTTP client, read by anybody. */
final class RequestStatistics {

    private static final double MICROS_PER_MS = 1e3;

    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger retried = new AtomicInteger();

    private record Answer(String instance, long nanos) {}

    /**
     * A request was answered.
     *
     * @param instance who counted it
     * @param nanos from when it was first sent
     */
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
     * Time to the answer by the nearest rank: the least that a given share of all answers did not exceed.
     *
     * @param percent above 0, up to 100
     * @return in milliseconds; zero when there is none
     */
    double percentile(int percent) {
        long[] sorted = answers.stream().mapToLong(Answer::nanos).sorted().toArray();
        if (sorted.length == 0) {
            return 0;
        }
        int rank = (sorted.length * percent + 99) / 100;
        return TimeUnit.NANOSECONDS.toMicros(sorted[rank - 1]) / MICROS_PER_MS;
    }

    /**
     * Answers by instance.
     *
     * @param instances those that are listed even without an answer
     */
    Map<String, Integer> perInstance(List<String> instances) {
        Map<String, Integer> counts =
                new TreeMap<>(instances.stream().collect(Collectors.toMap(name -> name, name -> 0)));
        answers.forEach(answer -> counts.merge(answer.instance(), 1, Integer::sum));
        return counts;
    }
}
