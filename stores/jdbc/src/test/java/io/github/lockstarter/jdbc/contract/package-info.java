/** The suites of the contract, bound to each database. */
package io.github.lockstarter.jdbc.contract;
