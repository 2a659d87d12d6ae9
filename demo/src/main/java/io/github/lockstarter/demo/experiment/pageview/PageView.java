package io.github.lockstarter.demo.experiment.pageview;

/**
 * A counted view.
 *
 * @param instance the instance that counted it
 * @param variant how
 * @param page the page
 * @param views what this instance has written, or found when the same request had been counted before
 */
record PageView(String instance, String variant, String page, long views) {}
