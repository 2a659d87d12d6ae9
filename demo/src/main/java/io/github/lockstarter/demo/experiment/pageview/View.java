package io.github.lockstarter.demo.experiment.pageview;

/**
 * One view of a page, to be counted once.
 *
 * @param variant how it is counted; each variant has a counter of its own
 * @param page the page
 * @param request id of the request; a client that repeats a request without an answer sends the same id
 */
public record View(Variant variant, String page, String request) {}
