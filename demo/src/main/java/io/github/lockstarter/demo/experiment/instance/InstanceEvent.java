package io.github.lockstarter.demo.experiment.instance;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * What an instance prints, a line of JSON each. {@code at} is {@link System#nanoTime()} of the instance. Sections are
 * told apart by an {@code id} that is unique in the instance.
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

    /**
     * When it happened.
     *
     * @return nanoseconds of the instance's clock
     */
    long at();

    /**
     * The page that is counted.
     *
     * @return its name; empty in an event of no page
     */
    String page();

    /**
     * The instance answers requests.
     *
     * @param at when
     * @param page empty
     * @param port where
     */
    record Ready(long at, String page, int port) implements InstanceEvent {}

    /**
     * A section begins.
     *
     * @param at when
     * @param id the section
     * @param page what it counts
     * @param fence fencing token of its lock, if there is one
     * @param path {@code immediate}, {@code waited}, {@code handed_over} or {@code taken_over}, if there is a
     *     lock
     * @param waited how long it waited for the lock, in ms, if there is one
     */
    record Held(
            long at,
            long id,
            String page,
            @Nullable Long fence,
            @Nullable String path,
            @Nullable Double waited) implements InstanceEvent {}

    /**
     * A section stands still between its read and its write, as it was asked to.
     *
     * @param at when
     * @param id the section
     * @param page what it counts
     */
    record Halted(long at, long id, String page) implements InstanceEvent {}

    /**
     * A section ends.
     *
     * @param at when
     * @param id the section
     * @param page what it counts
     * @param read views that it read
     * @param wrote views that it wrote
     * @param outcome {@code written}, {@code refused}, {@code lost} or {@code failed}
     */
    record Released(long at, long id, String page, long read, long wrote, String outcome) implements InstanceEvent {}

    /**
     * How many requests are in the instance and in no section.
     *
     * @param at when
     * @param page what they count
     * @param count how many
     */
    record Waiting(long at, String page, int count) implements InstanceEvent {}

    /**
     * The holder of a lock was told that it has lost it.
     *
     * @param at when
     * @param id its section
     * @param page what it counts
     * @param fence fencing token of the lock
     * @param reason why
     */
    record Lost(long at, long id, String page, long fence, String reason) implements InstanceEvent {}
}
