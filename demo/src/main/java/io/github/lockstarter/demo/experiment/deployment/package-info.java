/** What the experiment runs on: Redis servers, application instances and a reverse proxy, each a process of its own. */
@NullMarked
package io.github.lockstarter.demo.experiment.deployment;

import org.jspecify.annotations.NullMarked;
