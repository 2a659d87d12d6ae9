package io.github.resilience4j.retry.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for Resilience4j's annotation of this name. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Retry {}
