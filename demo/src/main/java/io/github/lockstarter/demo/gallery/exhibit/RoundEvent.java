package io.github.lockstarter.demo.gallery.exhibit;

/**
 * An event of a round.
 *
 * @param at ms since the start of the round
 * @param caller {@code A}, {@code B}, {@code C} or {@code servers}
 * @param kind {@code acquire}, {@code granted}, {@code refused}, {@code read}, {@code write}, {@code write-refused},
 *     {@code release}, {@code lost}, {@code stopped}, {@code goes-on}, {@code killed} or {@code fault}
 */
public record RoundEvent(double at, String caller, String kind, String text) {

    /** {@code caller} of server faults. */
    public static final String SERVERS = "servers";
}
