/** A flash sale: the stock never falls below zero and nobody buys twice, however many instances sell. */
@NullMarked
package io.github.lockstarter.sample.sale;

import org.jspecify.annotations.NullMarked;
