package io.github.lockstarter.demo.experiment.pageview;

/**
 * A counted view.
 *
 * @param instance the instance that counted it
 * @param views the written number, or the stored one if the same request had already been counted
 */
record PageView(String instance, String variant, String page, long views) {}
