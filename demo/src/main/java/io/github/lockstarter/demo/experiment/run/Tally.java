package io.github.lockstarter.demo.experiment.run;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Answers as they come in. Added to by the threads of the HTTP client, read by anybody. */
final class Tally {

    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger retried = new AtomicInteger();

    /**
     * A request that was answered.
     *
     * @param instance who counted it
     * @param nanos from when it was first sent
     */
    record Answer(String instance, long nanos) {}

    void answered(Answer answer) {
        answers.add(answer);
        answered.incrementAndGet();
    }

    void retried() {
        retried.incrementAndGet();
    }

    int answered() {
        return answered.get();
    }

    int retries() {
        return retried.get();
    }

    Latencies latencies() {
        return new Latencies(answers.stream().map(Answer::nanos).toList());
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
