package io.github.lockstarter.spi;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Digests that every Java platform has. Internal to this project's modules. */
public enum Digest {
    /** Also known to the scripts in Redis. */
    SHA_1("SHA-1"),
    /** For stored keys. */
    SHA_256("SHA-256");

    private final String algorithm;

    Digest(String algorithm) {
        this.algorithm = algorithm;
    }

    /**
     * {@return the digest in lower-case hexadecimal digits}
     *
     * @param bytes input
     */
    public String hex(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has " + algorithm, e);
        }
    }
}
