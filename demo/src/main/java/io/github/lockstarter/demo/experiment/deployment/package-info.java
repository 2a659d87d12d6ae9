/** Redis servers, application instances and a reverse proxy, each in its own process. */
@NullMarked
package io.github.lockstarter.demo.experiment.deployment;

import org.jspecify.annotations.NullMarked;
