package io.github.lockstarter.boot3;

import io.github.lockstarter.aop.testing.LockedCallSuite;
import org.junit.jupiter.api.Tag;

/** The calls that are locked with Spring 6.2. */
@Tag("full")
class Boot3LockedCallIT extends LockedCallSuite {}
