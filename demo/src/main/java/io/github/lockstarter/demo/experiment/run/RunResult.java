package io.github.lockstarter.demo.experiment.run;

import java.util.List;
import java.util.Map;

/**
 * The result of a run.
 *
 * @param counter stored views
 * @param lost answered requests that are missing from the counter
 * @param refused writes that the store rejected because of an old fencing token
 * @param retried repetitions of requests that failed or were rejected
 * @param seconds from the first request to the last answer
 * @param p50 median response time in ms, including repetitions
 * @param p99 99th percentile
 * @param perInstance answers by instance
 * @param faults descriptions of faults
 * @param missed descriptions of faults without a target
 * @param exact whether all requests were answered and each was counted once
 */
public record RunResult(
        long run,
        String variant,
        int requests,
        int answered,
        long counter,
        long lost,
        int refused,
        int retried,
        double seconds,
        double p50,
        double p99,
        Map<String, Integer> perInstance,
        List<String> faults,
        List<String> missed,
        boolean exact)
        implements RunEvent {}
