/** The experiment over HTTP: its controls as JSON, and what happens in it as server-sent events. */
@NullMarked
package io.github.lockstarter.demo.experiment.web;

import org.jspecify.annotations.NullMarked;
