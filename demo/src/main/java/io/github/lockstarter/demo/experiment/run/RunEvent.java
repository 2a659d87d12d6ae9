package io.github.lockstarter.demo.experiment.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What happens in a run. Times are in milliseconds since it began. */
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

    /**
     * The requests are sent.
     *
     * @param run number of the run
     * @param variant its variant
     * @param requests how many
     * @param instances who answers them
     */
    record Started(long run, String variant, int requests, List<String> instances) implements RunEvent {}

    /**
     * A critical section began.
     *
     * @param instance where
     * @param id the section
     * @param from when
     * @param fence fencing token, if there is a lock
     * @param path {@code immediate}, {@code waited}, {@code handed_over} or {@code taken_over}, if there is a
     *     lock
     * @param waited how long it waited for the lock, if there is one
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
     * @param instance where
     * @param id the section
     * @param to when
     * @param read views that it read
     * @param wrote views that it wrote
     * @param outcome {@code written}, {@code refused}, {@code lost} or {@code failed}
     */
    record Released(String instance, String id, double to, long read, long wrote, String outcome) implements RunEvent {}

    /**
     * Requests that are in an instance and in no section.
     *
     * @param instance where
     * @param at when
     * @param count how many
     */
    record Waiting(String instance, double at, int count) implements RunEvent {}

    /**
     * The counter, looked at from outside.
     *
     * @param at when
     * @param expected requests that have been answered
     * @param actual what the store has
     */
    record Counter(double at, int expected, long actual) implements RunEvent {}

    /**
     * A holder was told that it has lost its lock.
     *
     * @param instance where
     * @param at when
     * @param id its section
     * @param fence its fencing token
     * @param reason why
     */
    record Lost(String instance, double at, String id, long fence, String reason) implements RunEvent {}

    /**
     * Somebody interfered.
     *
     * @param at when
     * @param kind what was asked for, or what followed: {@code resume}, {@code start}, {@code next-owner}, {@code
     *     kept-lock}
     * @param instance whom it hit, if it was an instance
     * @param text what was done
     */
    record Interference(double at, String kind, @Nullable String instance, String text) implements RunEvent {}
}
