package io.github.lockstarter.sample.pages;

/**
 * What many views at the same time came to.
 *
 * @param page the page
 * @param requests how many views were counted at once
 * @param expected what the counter should show after it
 * @param actual what it shows
 * @param lost updates that overwrote each other
 */
record Burst(String page, int requests, long expected, long actual, long lost) {

    static Burst of(String page, int requests, long before, long after) {
        long expected = before + requests;
        return new Burst(page, requests, expected, after, expected - after);
    }
}
