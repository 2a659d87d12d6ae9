package io.github.lockstarter.model;

/** Requests of a client. */
enum Verb {
    ACQUIRE,
    RENEW,
    RELEASE
}
