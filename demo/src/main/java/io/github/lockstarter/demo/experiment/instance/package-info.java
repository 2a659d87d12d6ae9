/** What an instance of the experiment tells the process that has started it, and lets it do. */
@NullMarked
package io.github.lockstarter.demo.experiment.instance;

import org.jspecify.annotations.NullMarked;
