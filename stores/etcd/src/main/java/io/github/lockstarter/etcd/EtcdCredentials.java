package io.github.lockstarter.etcd;

/**
 * The etcd user, which needs to read and write keys below the key prefix.
 *
 * @param user name
 * @param password password
 */
public record EtcdCredentials(String user, String password) {

    /**
     * Validates the credentials.
     *
     * @param user name
     * @param password password
     * @throws IllegalArgumentException when one is empty
     */
    public EtcdCredentials {
        if (user.isEmpty() || password.isEmpty()) {
            throw new IllegalArgumentException("A user of etcd has a name and a password; one of them is empty");
        }
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return "EtcdCredentials[" + user + ']';
    }
}
