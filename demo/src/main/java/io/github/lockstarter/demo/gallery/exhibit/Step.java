package io.github.lockstarter.demo.gallery.exhibit;

/**
 * Something that happened in a round.
 *
 * @param at when, in ms since the round began
 * @param caller {@code A}, {@code B} or {@code C}, or {@code servers}
 * @param kind {@code acquire}, {@code granted}, {@code refused}, {@code read}, {@code write}, {@code write-refused},
 *     {@code release}, {@code lost}, {@code stopped}, {@code goes-on}, {@code killed} or {@code fault}
 * @param text in a few words
 */
public record Step(double at, String caller, String kind, String text) {

    /** Who a fault of servers is told of. */
    public static final String SERVERS = "servers";
}
