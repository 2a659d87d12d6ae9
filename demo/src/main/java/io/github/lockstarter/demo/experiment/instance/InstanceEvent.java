package io.github.lockstarter.demo.experiment.instance;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * Events of an instance, one line of JSON each. {@code at} is {@link System#nanoTime()} of the instance; {@code id}
 * identifies a section within it.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = InstanceEvent.Ready.class, name = "ready"),
    @JsonSubTypes.Type(value = InstanceEvent.Held.class, name = "held"),
    @JsonSubTypes.Type(value = InstanceEvent.Halted.class, name = "halted"),
    @JsonSubTypes.Type(value = InstanceEvent.Released.class, name = "released"),
    @JsonSubTypes.Type(value = InstanceEvent.Waiting.class, name = "waiting"),
    @JsonSubTypes.Type(value = InstanceEvent.Lost.class, name = "lost")
})
public sealed interface InstanceEvent {

    long at();

    /** The counted page; empty if the event concerns none. */
    String page();

    /** The instance answers requests. */
    record Ready(long at, String page, int port) implements InstanceEvent {}

    /**
     * A section started.
     *
     * @param fence fencing token, with a lock
     * @param path {@code immediate}, {@code waited}, {@code handed_over} or {@code taken_over}, with a lock
     * @param waited ms until the lock was granted, with a lock
     */
    record Held(
            long at,
            long id,
            String page,
            @Nullable Long fence,
            @Nullable String path,
            @Nullable Double waited) implements InstanceEvent {}

    /** A section stopped at the breakpoint between its read and its write. */
    record Halted(long at, long id, String page) implements InstanceEvent {}

    /**
     * A section ended.
     *
     * @param read views that it read
     * @param wrote views that it wrote
     * @param outcome {@code written}, {@code refused}, {@code lost} or {@code failed}
     */
    record Released(long at, long id, String page, long read, long wrote, String outcome) implements InstanceEvent {}

    /** Number of waiting requests: in the instance, but not in a section. */
    record Waiting(long at, String page, int count) implements InstanceEvent {}

    /**
     * A holder was notified of the loss of its lock.
     *
     * @param id its section
     */
    record Lost(long at, long id, String page, long fence, String reason) implements InstanceEvent {}
}
