package io.github.lockstarter.demo.experiment.pageview;

/**
 * A view to be counted once.
 *
 * @param request repeated requests have the same id
 */
public record View(Variant variant, String page, String request) {}
