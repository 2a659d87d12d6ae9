package io.github.lockstarter.demo.experiment.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events of a run. Times are in ms since its start. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = RunEvent.Started.class, name = "run-started"),
    @JsonSubTypes.Type(value = RunEvent.Held.class, name = "held"),
    @JsonSubTypes.Type(value = RunEvent.Released.class, name = "released"),
    @JsonSubTypes.Type(value = RunEvent.Waiting.class, name = "waiting"),
    @JsonSubTypes.Type(value = RunEvent.Counter.class, name = "counter"),
    @JsonSubTypes.Type(value = RunEvent.Lost.class, name = "lost"),
    @JsonSubTypes.Type(value = RunEvent.Interference.class, name = "interference"),
    @JsonSubTypes.Type(value = RunResult.class, name = "run-finished")
})
@JsonInclude(JsonInclude.Include.ALWAYS)
public sealed interface RunEvent
        permits RunEvent.Started,
                RunEvent.Held,
                RunEvent.Released,
                RunEvent.Waiting,
                RunEvent.Counter,
                RunEvent.Lost,
                RunEvent.Interference,
                RunResult {

    record Started(long run, String variant, int requests, List<String> instances) implements RunEvent {}

    /**
     * A critical section started.
     *
     * @param id the section
     * @param fence fencing token, with a lock
     * @param path {@code immediate}, {@code waited}, {@code handed_over} or {@code taken_over}, with a lock
     * @param waited ms until the lock was granted, with a lock
     */
    record Held(
            String instance,
            String id,
            double from,
            @Nullable Long fence,
            @Nullable String path,
            @Nullable Double waited)
            implements RunEvent {}

    /**
     * A critical section ended.
     *
     * @param id the section
     * @param read views that it read
     * @param wrote views that it wrote
     * @param outcome {@code written}, {@code refused}, {@code lost} or {@code failed}
     */
    record Released(String instance, String id, double to, long read, long wrote, String outcome) implements RunEvent {}

    /** Number of waiting requests: in an instance, but not in a section. */
    record Waiting(String instance, double at, int count) implements RunEvent {}

    /** Answered requests and stored views. */
    record Counter(double at, int expected, long actual) implements RunEvent {}

    /**
     * A holder was notified of the loss of its lock.
     *
     * @param id its section
     * @param fence its fencing token
     */
    record Lost(String instance, double at, String id, long fence, String reason) implements RunEvent {}

    /**
     * A fault or its consequence.
     *
     * @param kind the fault, {@code resume}, {@code start}, {@code next-owner} or {@code kept-lock}
     * @param instance the affected instance, if any
     */
    record Interference(double at, String kind, @Nullable String instance, String text) implements RunEvent {}
}
