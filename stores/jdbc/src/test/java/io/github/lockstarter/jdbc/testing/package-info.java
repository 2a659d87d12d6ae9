/** Fixtures with databases. */
package io.github.lockstarter.jdbc.testing;
