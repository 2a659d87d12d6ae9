/** Whole scenarios on real databases: several JVMs, crashes, outages. */
package io.github.lockstarter.jdbc.scenario;
