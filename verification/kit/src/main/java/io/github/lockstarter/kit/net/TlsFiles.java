package io.github.lockstarter.kit.net;

import io.github.lockstarter.kit.process.Polling;
import io.github.lockstarter.kit.process.ScratchDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A self-signed certificate for the loopback address, and its key. */
public final class TlsFiles implements AutoCloseable {

    /** Of {@link #keyStore}. */
    public static final String PASSWORD = "changeit";

    private static final String ALIAS = "server";

    private final ScratchDirectory directory = ScratchDirectory.create("lock-starter-tls-");

    private TlsFiles() {}

    /** Creates the files; close them. */
    public static TlsFiles create() {
        TlsFiles files = new TlsFiles();
        try {
            files.generate();
            return files;
        } catch (IOException | GeneralSecurityException e) {
            files.close();
            throw new IllegalStateException("Could not make a certificate", e);
        }
    }

    /** The certificate in PEM format. */
    public Path certificate() {
        return directory.path().resolve("certificate.pem");
    }

    /** The private key in PEM format. */
    public Path key() {
        return directory.path().resolve("key.pem");
    }

    /** Both, in PKCS12 format; a JVM with this trust store trusts the certificate. */
    public Path keyStore() {
        return directory.path().resolve("store.p12");
    }

    @Override
    public void close() {
        directory.close();
    }

    private void generate() throws IOException, GeneralSecurityException {
        keytool(keyStore());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream content = Files.newInputStream(keyStore())) {
            keys.load(content, PASSWORD.toCharArray());
        }
        write(certificate(), "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
        write(key(), "PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
    }

    private static void keytool(Path store) throws IOException {
        String arguments = "-genkeypair -alias " + ALIAS + " -keyalg EC -groupname secp256r1 -validity 2"
                + " -ext SAN=IP:127.0.0.1,DNS:localhost -storetype PKCS12 -storepass " + PASSWORD;
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-dname",
                "CN=lock-starter tests",
                "-keystore",
                store.toString()));
        command.addAll(List.of(arguments.split(" ")));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!Polling.until(() -> !keytool.isAlive()) || keytool.exitValue() != 0) {
            throw new IOException("keytool failed: " + output);
        }
    }

    private static void write(Path file, String type, byte[] content) {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        try {
            Files.writeString(file, "-----BEGIN " + type + "-----\n" + lines + "\n-----END " + type + "-----\n");
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write " + file, e);
        }
    }
}
