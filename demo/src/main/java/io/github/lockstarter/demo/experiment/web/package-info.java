/** Controls of the experiment as JSON, and its events as server-sent events. */
@NullMarked
package io.github.lockstarter.demo.experiment.web;

import org.jspecify.annotations.NullMarked;
