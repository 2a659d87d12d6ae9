package io.github.lockstarter.sample.experiment.pageview;

/**
 * One view of a page, to be counted once.
 *
 * @param variant how it is counted; each variant has a counter of its own
 * @param page the page
 * @param request id of the request; whoever repeats a request that was not answered sends the same one
 */
record View(Variant variant, String page, String request) {}
