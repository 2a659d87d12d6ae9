/** Opens what the auto-configuration of a database keeps to itself. */
package io.github.lockstarter.autoconfigure.jdbc;
