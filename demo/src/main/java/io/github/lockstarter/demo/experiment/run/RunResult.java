package io.github.lockstarter.demo.experiment.run;

import java.util.List;
import java.util.Map;

/**
 * What a run came to.
 *
 * @param run its number
 * @param variant its variant
 * @param requests how many were sent
 * @param answered of these, those that were answered in the end
 * @param counter views that the store has
 * @param lost answered requests that are not in the counter
 * @param refused writes that the store refused, since their fencing token was stale
 * @param retried how often a request was repeated, since it was not answered or refused
 * @param seconds from the first request to the last answer
 * @param p50 time to the answer of a request, repetitions included, in ms: half of them took no longer
 * @param p99 the same for 99 of 100
 * @param perInstance answers by instance
 * @param faults what interfered, in words
 * @param missed what should have interfered and found nothing to hit, in words
 * @param exact whether all were answered, and each counted once
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
