package io.github.lockstarter.etcd;

/** Locks cannot be kept in etcd: it does not answer, or refuses the user. */
public final class EtcdUnavailableException extends RuntimeException {

    /**
     * An etcd that cannot be used.
     *
     * @param message which one, and why
     */
    public EtcdUnavailableException(String message) {
        super(message);
    }
}
