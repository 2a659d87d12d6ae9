package io.github.lockstarter.etcd;

/**
 * The user that locks are kept as. It needs to read and write the keys below the key prefix. Immutable.
 *
 * @param user its name
 * @param password its password
 */
public record EtcdCredentials(String user, String password) {

    /**
     * Checks what is given.
     *
     * @param user its name
     * @param password its password
     * @throws IllegalArgumentException when one is empty
     */
    public EtcdCredentials {
        if (user.isEmpty() || password.isEmpty()) {
            throw new IllegalArgumentException("A user of etcd has a name and a password; one of them is empty");
        }
    }

    /** Masked. */
    @Override
    public String toString() {
        return "EtcdCredentials[" + user + ']';
    }
}
