@NullMarked
package io.github.lockstarter.demo.sale;

import org.jspecify.annotations.NullMarked;
